import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { AnalyseRequest, Analysis, ParsedContent } from '../../markdown/index.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { displayedStatus } from '../model/card-fields.ts'
import { mentionCandidates } from './mention-candidates.ts'

type AnalysisDeps = Pick<DocumentsDeps, 'markdown' | 'members'>

interface AnalysisContext {
  /** When the request arrived (`performance.now()`): workers serve the earliest first. Default: now. */
  sinceMs?: number
  /** The content whose mentions a bare `@Name` refers to first. Default: the previous revision. */
  mentionedIn?: ParsedContent | null
}

/** Removes the envelope and makes mentions canonical. @throws WorkspaceError `invalid`, with the reason */
export const analyseSent = (
  deps: AnalysisDeps,
  bytes: Uint8Array,
  record: DocumentRecord | null,
  before: RevisionContent | null,
  context: AnalysisContext & { sinceMs: number },
): Promise<Analysis> =>
  analyse(deps, { bytes, origin: 'sent' }, record, before, { ...context, priority: 'answering' })

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
  context: AnalysisContext & { priority: 'answering' | 'background' },
): Promise<Analysis> {
  const { priority, sinceMs, mentionedIn = before?.digest ?? null } = context
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
