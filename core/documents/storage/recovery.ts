import { failureReason } from '../../../data/failures.ts'
import { Signal } from '../../../data/signal.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { JournalEntry } from '../../../data/tables/journal.ts'
import { type Displaced, displacedBy } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { filePathOf } from '../model/document-paths.ts'
import { isTornWrite } from '../model/torn-write.ts'
import type { DisplacedFile, DisplacedFiles } from './displaced.ts'
import type { FolderRecovery } from './folder-recovery.ts'
import type { Journal } from './journal.ts'
import { restoreMarker } from './markers.ts'
import type { ProjectRoots } from './project-roots.ts'

/** A revision that was committed but not placed, since a person had changed the file to be replaced. */
export interface OvertakenRevision {
  documentId: string
  revision: string
  /** The revision that the person changed. */
  previous: string
}

interface RecoveryDeps {
  displacedFiles: DisplacedFiles
  folders: FolderRecovery
  journal: Journal
  roots: ProjectRoots
}

/**
 * Finishes pending writes at start and when a project's folder returns: places committed bytes that were not
 * placed, or that a power cut took. A file that a person has changed stays; the following scan ingests it.
 */
export class Recovery {
  private readonly shared: DocumentsDeps
  private readonly deps: RecoveryDeps
  readonly overtaken = new Signal<OvertakenRevision>()

  constructor(shared: DocumentsDeps, deps: RecoveryDeps) {
    this.shared = shared
    this.deps = deps
    this.deps.roots.onReturn((project) => {
      this.deps.folders.finishForProject(project)
      this.finish((record) => record?.projectId === project.id)
    })
  }

  /** Must be called before anything is ingested. Tries again later what a full disk prevents. */
  async start(): Promise<void> {
    const { journal, projects, tree } = this.shared
    for (const path of tree.restoreSetAside().restored) await this.flush(path)
    for (const project of projects.all()) await this.restoreMarkerOrMarkUnfinished(project)
    for (const project of projects.all()) this.deps.roots.check(project)
    // First, since the journal has the paths after the moves.
    await this.deps.folders.start()
    this.finish((record) => !record)
    for (const project of projects.all()) if (this.isUsable(project)) this.finishOrMarkUnfinished(project)
    const needed = new Set(
      journal
        .all()
        .flatMap(({ staged }) =>
          staged === null ? [] : [staged, ...stagedNamesOfDisplaced(this.shared, staged)],
        ),
    )
    for (const { name } of tree.staged()) if (!needed.has(name)) tree.discard(name)
    await this.deps.displacedFiles.checkAll({ isHurried: true })
    await this.deps.journal.checkpoint()
  }

  private isUsable(project: Project): boolean {
    return this.deps.roots.problemOf(project) === null
  }

  /** A file that cannot be made durable is placed nevertheless. */
  private async flush(path: string): Promise<void> {
    try {
      await this.shared.tree.flush(path)
    } catch (error) {
      if (failureReason(error) === null) throw error
      this.shared.onProblem(`${path} was placed, but could not be made durable`, error)
    }
  }

  private async restoreMarkerOrMarkUnfinished(project: Project): Promise<void> {
    try {
      for (const path of this.restoreMarker(project)) await this.flush(path)
    } catch (error) {
      const repair = () => {
        for (const path of this.restoreMarker(project)) void this.flush(path)
      }
      this.markUnfinished(project, error, repair)
    }
  }

  private restoreMarker(project: Project): string[] {
    const paths = restoreMarker(this.shared, project)
    if (paths === null) return []
    this.shared.onProblem(`The folder projects/${project.folder} had lost its marker, which was restored`)
    return paths
  }

  /** Without disk space, the project waits, and nothing is ingested from it. */
  private finishOrMarkUnfinished(project: Project): void {
    try {
      this.finish((record) => record?.projectId === project.id)
    } catch (error) {
      this.markUnfinished(project, error)
    }
  }

  private markUnfinished(project: Project, error: unknown, repair?: () => void): void {
    const reason = failureReason(error)
    if (reason === null) throw error
    this.deps.roots.markUnfinished(project, reason, repair)
    this.shared.onProblem(`The last write in ${project.slug} is not placed yet; this is tried again`, error)
  }

  /** Synchronous, so that nothing is ingested before. @throws the first failure, once all have been tried */
  private finish(isIncluded: (record: DocumentRecord | undefined) => boolean): void {
    const { documents, tree } = this.shared
    tree.restoreSetAside()
    const all = this.deps.journal.unfinished()
    const entries = all.filter(({ documentId }) => isIncluded(documents.find(documentId)))
    const found = entries.map((entry) => ({ entry, earlier: earlierRevisions(all, entry) }))
    const placed = new Map<JournalEntry, DisplacedFile[]>()
    const failures = new Map<string, unknown>()
    for (const { entry, earlier } of found) {
      try {
        placed.set(entry, this.placeFile(entry, earlier))
      } catch (error) {
        failures.set(entry.documentId, error)
      }
    }
    const done = found.filter(({ entry }) => !failures.has(entry.documentId))
    for (const { entry, earlier } of done) this.removeVacated(entry, earlier)
    for (const { entry, earlier } of done) {
      if (entry.staged !== null) tree.discard(entry.staged)
      this.deps.journal.markPlaced(entry, [...this.displacedBefore(entry, earlier), ...placed.get(entry)!])
    }
    if (failures.size > 0) throw [...failures.values()][0]
  }

  /** Places the file unless the document has moved or changed since. @returns what it displaced */
  private placeFile(entry: JournalEntry, earlier: Set<string>): DisplacedFile[] {
    const { documents, contents, tree } = this.shared
    const { documentId, revision, path, vacated } = entry
    const record = documents.find(documentId)
    if (path === null || record?.revision !== revision || this.pathOf(record) !== path) return []
    if (entry.staged === null && vacated !== null) {
      const isMovePending = tree.stat(path).kind === 'missing' && tree.stat(vacated).kind === 'file'
      if (isMovePending) tree.move(vacated, path)
    }
    const content = contents.find(documentId, revision)
    if (!content) return []
    if (!this.isFileLost(path, { ...entry, earlier, bytes: content.stored })) {
      this.noteOvertaken(entry)
      return []
    }
    return this.place(path, content.stored).map((file) => this.displacedFile(file, entry))
  }

  /** Whether the file is in the state before the write, or in one that a power cut can leave. */
  private isFileLost(
    path: string,
    expected: { revision: string; earlier: Set<string>; bytes: Buffer },
  ): boolean {
    const { tree } = this.shared
    if (tree.stat(path).kind === 'missing') return true
    const found = tree.read(path)
    if (!found) return false
    const revision = revisionOf(found.bytes)
    if (revision === expected.revision) return false
    return expected.earlier.has(revision) || isTornWrite(found.bytes, expected.bytes)
  }

  /** A staged file that is still there was not placed, unless it has displaced another one. */
  private noteOvertaken({ documentId, revision, previous, staged }: JournalEntry): void {
    if (staged === null || previous === null || this.shared.tree.stagedStamp(staged) === null) return
    if (stagedNamesOfDisplaced(this.shared, staged).length > 0) return
    this.overtaken.emit({ documentId, revision, previous })
  }

  private place(path: string, bytes: Buffer): Displaced[] {
    const { tree } = this.shared
    const stat = tree.stat(path)
    const staged = tree.stage(bytes)
    try {
      const { displaced } = tree.place(staged, path, stat.kind === 'file' ? stat.stamp : null)
      for (const { name, wasExpected } of displaced) if (wasExpected) tree.discard(name)
      return displaced.filter(({ wasExpected }) => !wasExpected)
    } finally {
      tree.discard(staged.name)
    }
  }

  /** Removes the file, or its torn remains, from its former path, unless a document is there. */
  private removeVacated({ documentId, vacated, revision }: JournalEntry, earlier: Set<string>): void {
    const { documents, tree } = this.shared
    if (vacated === null || this.hasDocumentAt(vacated)) return
    const record = documents.find(documentId)
    if (record && this.pathOf(record) === vacated) return
    const found = tree.read(vacated)
    if (!found || !this.isRevisionOf(found.bytes, documentId, [...earlier, revision])) return
    // An edit saved there at this moment is a new document, which the following scan finds.
    tree.removeIfUnchanged(vacated, found.stamp)
  }

  /** Keeps what an editor saved during the write; discards known bytes, also if a power cut tore them. */
  private displacedBefore(entry: JournalEntry, earlier: Set<string>): DisplacedFile[] {
    const { tree } = this.shared
    const { documentId, staged } = entry
    if (staged === null) return []
    return stagedNamesOfDisplaced(this.shared, staged).flatMap((name) => {
      const content = tree.readStaged(name)
      const isOurs = content !== null && this.isKnownRevision(content.bytes, documentId, earlier)
      if (content && (!isOurs || this.deps.displacedFiles.wasInserted(entry, content))) {
        return [this.displacedFile({ name, stamp: content.stamp, wasExpected: false }, entry)]
      }
      tree.discard(name)
      return []
    })
  }

  private isKnownRevision(bytes: Buffer, documentId: string, earlier: Set<string>): boolean {
    return (
      this.shared.contents.find(documentId, revisionOf(bytes)) !== null ||
      this.isRevisionOf(bytes, documentId, earlier)
    )
  }

  /** True also for what a power cut leaves of a revision. */
  private isRevisionOf(bytes: Buffer, documentId: string, revisions: Iterable<string>): boolean {
    return [...revisions].some((revision) => {
      const stored = this.shared.contents.find(documentId, revision)?.stored
      return stored !== undefined && isTornWrite(bytes, stored)
    })
  }

  private displacedFile(file: Displaced, { documentId, revision, previous }: JournalEntry): DisplacedFile {
    return { ...file, documentId, revision, previous, atMs: file.stamp?.ctimeMs ?? this.shared.diskNow() }
  }

  private pathOf(record: DocumentRecord): string | null {
    return filePathOf(this.shared.projects.find(record.projectId)!, record)
  }

  private hasDocumentAt(path: string): boolean {
    const { catalogue, projects } = this.shared
    const [top, folder, ...names] = path.split('/')
    const isIn = (project: Project) => project.folder === folder
    const project = top === 'projects' && projects.all().find(isIn)
    return Boolean(project && catalogue.at(project.id, names.join('/')))
  }
}

/** The revisions that the file can have if renames did not reach the disk. */
const earlierRevisions = (entries: JournalEntry[], { documentId }: JournalEntry) =>
  new Set(entries.flatMap((other) => (other.documentId === documentId ? (other.previous ?? []) : [])))

/** The names in `.workroom/tmp` of the files that staged bytes displaced. */
function stagedNamesOfDisplaced({ tree }: DocumentsDeps, staged: string): string[] {
  const first = displacedBy(staged)
  return tree
    .staged()
    .map(({ name }) => name)
    .filter((name) => name === first || name.startsWith(`${first}-`))
}
