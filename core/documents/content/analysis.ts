import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { AnalyseRequest, Analysis, ParsedContent } from '../../markdown/index.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { displayedStatus } from '../model/card-fields.ts'
import { mentionCandidates } from './mention-candidates.ts'

type AnalysisDeps = Pick<DocumentsDeps, 'markdown' | 'members'>

/** What else an analysis goes by. */
interface AnalysisContext {
  /** When the request came (`performance.now()`): of those that wait for a thread the earliest is next. Left out: now. */
  sinceMs?: number
  /** What is known of the file whose mentions bare names mean first; left out: the file as it stood. */
  mentionedIn?: ParsedContent | null
}

/**
 * What is learnt from bytes that came over an interface, with the envelope taken off and mentions made canonical.
 * @throws WorkspaceError `invalid` for what cannot be a file of ours, saying why
 */
export const analyseSent = (
  deps: AnalysisDeps,
  bytes: Uint8Array,
  record: DocumentRecord | null,
  before: RevisionContent | null,
  circumstances: AnalysisContext & { sinceMs: number },
): Promise<Analysis> =>
  analyse(deps, { bytes, origin: 'sent' }, record, before, { ...circumstances, priority: 'answering' })

/** What is learnt from bytes as they lie on the disk, which are never changed. */
export const analyseDiskFile = (
  deps: AnalysisDeps,
  bytes: Uint8Array,
  record: DocumentRecord | null,
  before: RevisionContent | null,
  priority: 'answering' | 'background',
  sinceMs?: number,
): Promise<Analysis> =>
  analyse(deps, { bytes, origin: 'found' }, record, before, {
    priority,
    ...(sinceMs !== undefined && { sinceMs }),
  })

async function analyse(
  { markdown, members }: AnalysisDeps,
  { bytes, origin }: Pick<AnalyseRequest, 'bytes' | 'origin'>,
  record: DocumentRecord | null,
  before: RevisionContent | null,
  how: AnalysisContext & { priority: 'answering' | 'background' },
): Promise<Analysis> {
  const { priority, sinceMs, mentionedIn = before?.digest ?? null } = how
  const outcome = await markdown.analyse(
    {
      bytes,
      origin,
      people: mentionCandidates(members, bytes, mentionedIn),
      names: members.names(),
      before: before && {
        ...before,
        title: record!.title,
        status: displayedStatus(record!, before.digest.frontmatter?.fields ?? {}),
      },
    },
    priority,
    sinceMs,
  )
  if (outcome.kind === 'refusal') throw new WorkspaceError('invalid', outcome.message)
  return outcome
}
