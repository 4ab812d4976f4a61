import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FileStamp } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { Analysis } from '../../markdown/index.ts'
import { slugOf } from '../../text/slug.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { type Change, deletionChange } from '../model/change.ts'
import { parseDocumentPath } from '../model/document-paths.ts'
import { composeChange } from '../recording/compose-record.ts'

/** Must be called inside a commit. `record` is null for a new document, `analysis` for known bytes. */
export function changeFromFile(
  deps: DocumentsDeps,
  at: { project: Project; path: string },
  record: DocumentRecord | null,
  found: { stamp: FileStamp; analysis: Analysis | null; lookedMs: number },
): Change {
  const { clock, contents } = deps
  const { project, path } = at
  const { stamp, analysis, lookedMs } = found
  const authorId = authorOf(deps, project, path)
  const { kind, column = null } = parseDocumentPath(path)!
  const location = {
    before: record,
    contentBefore: record && contents.find(record.id, record.revision),
    project,
    kind,
    column,
    path,
    stamp: { ...stamp, lookedMs },
    ...(authorId ? { authorId } : {}),
  }
  const origin = { actorId: deps.diskMember(stamp.uid), via: 'disk', atMs: clock.now() } as const
  return composeChange(deps, origin, location, analysis)
}

export const changeFromDeletion = ({ clock, diskMember }: DocumentsDeps, record: DocumentRecord): Change =>
  deletionChange(
    { actorId: diskMember(record.stamp?.uid ?? 0), via: 'disk', atMs: clock.now() },
    record,
    null,
  )

/** The author of the drafts already in this folder, else the member it is named after. */
function authorOf({ members, catalogue }: DocumentsDeps, project: Project, path: string): string | null {
  const folder = parseDocumentPath(path)?.authorFolder
  if (folder === undefined) return null
  const [neighbour] = catalogue.inFolder(project.id, path.slice(0, path.lastIndexOf('/')))
  if (neighbour) return neighbour.authorId
  const namesake = members.active().find(({ id, name }) => id === folder || slugOf(name) === slugOf(folder))
  return namesake?.id ?? null
}
