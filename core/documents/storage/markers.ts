import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import { markerName, markerText, placeProjectFolders, readmeText } from '../../projects/project-folders.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { filePathOf } from '../model/document-paths.ts'
import { isTornWrite } from '../model/torn-write.ts'

/** With a larger share of files missing or changed, the folder is another one, or an unmounted disk. */
const maxDifferingShare = 0.25

/** Acts if nearly all documents exist or are pending. @returns paths to flush, or null @throws DiskError */
export function restoreMarker(deps: DocumentsDeps, project: Project): string[] | null {
  const { tree } = deps
  if (!isMarkerLost(deps, project)) return null
  // Without space for the marker, the documents need not be compared.
  tree.discard(tree.stage(Buffer.from(markerText(project))).name)
  const isUntouched = isNew(deps, project)
  if (!isUntouched && !isFolderOfProject(deps, project)) return null
  if (isUntouched) removeTornReadme(deps, project)
  else restoreTornFiles(deps, project)
  return placeProjectFolders(tree, project, { readme: isUntouched ? readmeText(project.name) : null }).paths
}

function isMarkerLost({ tree }: DocumentsDeps, project: Project): boolean {
  const path = `projects/${project.folder}/${markerName}`
  const stat = tree.stat(path)
  if (stat.kind !== 'file') return stat.kind === 'missing'
  const marker = tree.read(path)
  const text = Buffer.from(markerText(project))
  return marker !== null && marker.bytes.toString().trim() !== project.id && isTornWrite(marker.bytes, text)
}

/** The project was being created, and never had a document. */
function isNew({ catalogue, documents }: DocumentsDeps, { id }: Project): boolean {
  return catalogue.countInProject(id) === 0 && documents.deleted(id).length === 0
}

/** Some pending files may be missing; if nothing at all is there, a disk may not be mounted. */
function isFolderOfProject(deps: DocumentsDeps, project: Project): boolean {
  const { catalogue, journal, tree } = deps
  const pendingIds = new Set(journal.all().map(({ documentId }) => documentId))
  const records = [...catalogue.inProject(project.id)]
  const hasFiles = records.some((record) => tree.stat(filePathOf(project, record)!).kind === 'file')
  const differing = records.filter(
    (record) => !pendingIds.has(record.id) && differsFromRevision(deps, project, record),
  )
  return hasFiles && differing.length <= maxDifferingShare * records.length
}

function differsFromRevision(
  { contents, tree }: DocumentsDeps,
  project: Project,
  record: DocumentRecord,
): boolean {
  const found = tree.read(filePathOf(project, record)!)
  if (found === null) return true
  if (revisionOf(found.bytes) === record.revision) return false
  const stored = contents.find(record.id, record.revision)?.stored
  return !stored || !isTornWrite(found.bytes, stored)
}

function removeTornReadme({ tree }: DocumentsDeps, { folder, name }: Project): void {
  const path = `projects/${folder}/README.md`
  const found = tree.read(path)
  if (found && isTornWrite(found.bytes, Buffer.from(readmeText(name))))
    tree.removeIfUnchanged(path, found.stamp)
}

/** The power cut that took the marker also emptied files written with it: they are lost, not edited. */
function restoreTornFiles({ catalogue, contents, tree }: DocumentsDeps, project: Project): void {
  for (const record of catalogue.inProject(project.id)) {
    const path = filePathOf(project, record)!
    const found = tree.read(path)
    if (found === null || revisionOf(found.bytes) === record.revision) continue
    const stored = contents.find(record.id, record.revision)?.stored
    const hasLostBlocks = found.bytes.length === 0 || found.bytes.includes(0)
    if (!stored || !hasLostBlocks || !isTornWrite(found.bytes, stored)) continue
    const staged = tree.stage(stored)
    const { displaced } = tree.place(staged, path, found.stamp)
    for (const { name } of displaced) tree.discard(name)
  }
}
