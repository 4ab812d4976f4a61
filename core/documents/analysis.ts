import type { DocumentRecord } from '../../data/tables/documents.ts'
import { WorkspaceError } from '../errors.ts'
import type { AnalyseRequest, Analysis, Digest } from '../markdown/index.ts'
import { shownStatus } from './card-fields.ts'
import type { Content } from './contents.ts'
import type { Parts } from './parts.ts'
import { peopleFor } from './people.ts'

/**
 * What is learnt from bytes that came over an interface, with the envelope taken off and mentions made canonical.
 * @param mentionedIn what is known of the file whose mentions bare names mean first; left out: the file as it stood
 * @throws WorkspaceError `unprocessable` for what cannot be a file of ours, saying why
 */
export const analyseSent = (
  parts: Parts,
  bytes: Uint8Array,
  record: DocumentRecord | null,
  before: Content | null,
  mentionedIn: Digest | null = before?.digest ?? null,
): Promise<Analysis> => analyse(parts, bytes, 'sent', record, before, 'answering', mentionedIn)

/** What is learnt from bytes as they lie on the disk, which are never changed. */
export const analyseFound = (
  parts: Parts,
  bytes: Uint8Array,
  record: DocumentRecord | null,
  before: Content | null,
  priority: 'answering' | 'background',
): Promise<Analysis> => analyse(parts, bytes, 'found', record, before, priority)

async function analyse(
  { markdown, members }: Parts,
  bytes: Uint8Array,
  origin: AnalyseRequest['origin'],
  record: DocumentRecord | null,
  before: Content | null,
  priority: 'answering' | 'background',
  mentionedIn: Digest | null = before?.digest ?? null,
): Promise<Analysis> {
  const outcome = await markdown.analyse(
    {
      bytes,
      origin,
      people: peopleFor(members, bytes, mentionedIn),
      names: members.names(),
      before: before && {
        ...before,
        title: record!.title,
        status: shownStatus(record!, before.digest.frontmatter?.fields ?? {}),
      },
    },
    priority,
  )
  if (outcome.kind === 'refusal') throw new WorkspaceError('unprocessable', outcome.message)
  return outcome
}
