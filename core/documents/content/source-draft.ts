import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import { hasScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { Analysis, ParsedContent } from '../../markdown/index.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { scopeFor } from '../model/scopes.ts'

const maxCompared = 10

const bareBroadcast = /@(?:here|channel|everyone)(?![\p{L}\p{N}])/u

interface SourceDraft {
  record: DocumentRecord
  digest: ParsedContent
}

/** Finds the draft that a text is a copy of, for attachments and broadcast mentions that the copy lacks. */
export function findSourceDraft(
  { catalogue, contents }: DocumentsDeps,
  project: Project,
  caller: Caller,
  { sent, digest }: { sent: Uint8Array; digest: Analysis['digest'] },
): SourceDraft | null {
  if (!hasScope(caller, scopeFor('draft', 'read'))) return null
  const mayMeanBroadcast = bareBroadcast.test(Buffer.from(sent).toString())
  const drafts = catalogue
    .ofKind(project.id, 'draft', caller.member.id)
    .filter(({ attachments }) => mayMeanBroadcast || attachments.length > 0)
    .sort((one, other) => other.activityMs - one.activityMs || (one.id < other.id ? 1 : -1))
  const digestOf = (record: DocumentRecord) => contents.get(record.id, record.revision).digest
  const titled = drafts.find(({ title }) => title === digest.title)
  if (titled) return { record: titled, digest: digestOf(titled) }
  if (!digest.blocks) return null
  for (const record of drafts.slice(0, maxCompared)) {
    const draft = digestOf(record)
    // Block ids are derived from the displayed text: a full mention equals one by name.
    if (draft.blocks === digest.blocks) return { record, digest: draft }
  }
  return null
}

export const mentionsEverybody = ({ mentions }: ParsedContent): boolean =>
  mentions.some(({ id }) => id.startsWith('__'))
