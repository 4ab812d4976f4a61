import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { maySeeDraft } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { DocumentLocker } from './holding.ts'
import { isSameFile } from './same-file.ts'

/** Where a file lies: its project, and its path within that as it is spelled on the disk. */
export interface ProjectPath {
  project: Project
  path: string
}

/**
 * Documents by the very paths of their files, as whoever has the folders before them means them: no title, id or former
 * name stands for a document here. Whether the caller may come in at all is checked before.
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
   * The document at a path, settled; null where there is none that the member may see.
   * @throws WorkspaceError `unavailable` where the disk fails to show it
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

  /** A document as one that is there: null while its file is gone. */
  present(record: DocumentRecord | null): DocumentRecord | null {
    return record && !this.disk.isMissing(record) ? record : null
  }

  /** Frees a path whose file has just vanished, for another. @throws WorkspaceError `unavailable` where the deletion is held back */
  async releasePath(member: Member, at: ProjectPath): Promise<void> {
    await this.find(member, at)
    const known = this.knownDocument(member, at)
    if (known && this.disk.isMissing(known)) await this.disk.confirmDeletion(known)
  }

  /**
   * Runs `work` on what lies at some paths, settled, with no other change to it at the same time.
   * @param work gets for each path the document, also one whose file has just vanished, or null; and when the request
   *   came (`performance.now()`): those that came later come after it
   * @throws WorkspaceError `unavailable` where an editor does not let go of a file, or a project cannot be written
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

  /** Whether the disk, which does not tell upper from lower case, shows the file of a document under another name. */
  private isOtherSpelling({ project, path }: ProjectPath): boolean {
    const { catalogue, tree } = this.shared
    return catalogue
      .atSimilarPath(project.id, path)
      .some((other) => isSameFile(tree, project, other.path, path))
  }

  /** The one that is spelled so, or that is equal in NFC. */
  private knownDocument(member: Member, { project, path }: ProjectPath): DocumentRecord | null {
    const { catalogue } = this.shared
    const key = path.normalize('NFC')
    const equal = () =>
      catalogue.atSimilarPath(project.id, path).find((other) => other.path.normalize('NFC') === key)
    const record = catalogue.at(project.id, path) ?? equal() ?? null
    return record?.kind === 'draft' && !maySeeDraft(member, record.authorId) ? null : record
  }
}
