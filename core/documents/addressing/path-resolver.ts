import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { maySeeDraft } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { DocumentLocker } from './holding.ts'
import { isSameFile } from './same-file.ts'

/** A file: its project, and its path within the project as spelled on the disk. */
export interface ProjectPath {
  project: Project
  path: string
}

/**
 * Finds documents by the exact paths of their files; titles, ids and former names are not considered. Access is
 * checked by the caller.
 */
export class PathResolver {
  private readonly shared: DocumentsDeps
  private readonly disk: DiskSync
  private readonly holding: DocumentLocker

  constructor(shared: DocumentsDeps, deps: { disk: DiskSync; holding: DocumentLocker }) {
    this.shared = shared
    this.disk = deps.disk
    this.holding = deps.holding
  }

  /**
   * The reconciled document at a path; null if there is none that the member may see.
   * @throws WorkspaceError `unavailable` if the disk fails
   */
  async find(member: Member, at: ProjectPath): Promise<DocumentRecord | null> {
    const known = this.knownDocument(member, at)
    if (!known && this.isOtherSpelling(at)) return null
    if (!known || !this.disk.isReconciled(known, at.project)) {
      if (known) await this.disk.reconcile(known)
      await this.disk.checkPath(pathInHome(at.project, at.path))
    }
    return this.present(this.knownDocument(member, at))
  }

  /** Null while the document's file is missing. */
  present(record: DocumentRecord | null): DocumentRecord | null {
    return record && !this.disk.isMissing(record) ? record : null
  }

  /**
   * Frees a path whose file has just vanished.
   * @throws WorkspaceError `unavailable` if the deletion needs confirmation
   */
  async releasePath(member: Member, at: ProjectPath): Promise<void> {
    await this.find(member, at)
    const known = this.knownDocument(member, at)
    if (known && this.disk.isMissing(known)) await this.disk.confirmDeletion(known)
  }

  /**
   * Runs `work` on the documents at some paths, reconciled, while no other change to them can happen.
   * @param work receives for each path its document, even if the file has just vanished, or null; and when the
   * request arrived (`performance.now()`)
   * @throws WorkspaceError `unavailable` if an editor keeps changing a file, or the project cannot be written
   */
  async withLock<T>(
    member: Member,
    ats: ProjectPath[],
    work: (known: (DocumentRecord | null)[], sinceMs: number) => Promise<T>,
  ): Promise<T> {
    const known = () => ats.map((at) => ({ ...at, record: this.knownDocument(member, at) }))
    return this.holding.withLock(
      {
        find: async () => {
          for (const at of ats) await this.find(member, at)
          return known()
        },
        resolveNow: known,
        namesOf: (found) =>
          found.flatMap(({ project, path, record }) => [
            pathInHome(project, path),
            ...(record ? [record.id] : []),
          ]),
      },
      (held, sinceMs) =>
        work(
          held.map(({ record }) => record),
          sinceMs,
        ),
    )
  }

  /** Whether a case-insensitive disk shows the file of a document under another spelling. */
  private isOtherSpelling({ project, path }: ProjectPath): boolean {
    const { catalogue, tree } = this.shared
    return catalogue
      .atSimilarPath(project.id, path)
      .some((other) => isSameFile(tree, project, other.path, path))
  }

  private knownDocument(member: Member, { project, path }: ProjectPath): DocumentRecord | null {
    const { catalogue } = this.shared
    const key = path.normalize('NFC')
    const equal = () =>
      catalogue.atSimilarPath(project.id, path).find((other) => other.path.normalize('NFC') === key)
    const record = catalogue.at(project.id, path) ?? equal() ?? null
    return record?.kind === 'draft' && !maySeeDraft(member, record.authorId) ? null : record
  }
}
