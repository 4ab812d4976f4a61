import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { maySeeDraft } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { DocumentLocker } from './document-locker.ts'
import { isSameFile } from './same-file.ts'

export interface ProjectPath {
  project: Project
  path: string
}

/** Finds documents by the exact paths of their files alone. The caller checks access. */
export class PathResolver {
  private readonly shared: DocumentsDeps
  private readonly disk: DiskSync
  private readonly locker: DocumentLocker

  constructor(shared: DocumentsDeps, deps: { disk: DiskSync; locker: DocumentLocker }) {
    this.shared = shared
    this.disk = deps.disk
    this.locker = deps.locker
  }

  /** Reconciles first. Null if the member may not see the document. @throws WorkspaceError `unavailable` */
  async find(member: Member, at: ProjectPath): Promise<DocumentRecord | null> {
    const record = this.findInCatalogue(member, at)
    if (!record && this.isOtherSpelling(at)) return null
    if (!record || !this.disk.isReconciled(record, at.project)) {
      if (record) await this.disk.reconcile(record)
      await this.disk.checkPath(pathInHome(at.project, at.path))
    }
    return this.unlessMissing(this.findInCatalogue(member, at))
  }

  unlessMissing(record: DocumentRecord | null): DocumentRecord | null {
    return record && !this.disk.isMissing(record) ? record : null
  }

  /** Frees a path whose file just vanished. @throws WorkspaceError `unavailable` until that is confirmed */
  async releasePath(member: Member, at: ProjectPath): Promise<void> {
    await this.find(member, at)
    const record = this.findInCatalogue(member, at)
    if (record && this.disk.isMissing(record)) await this.disk.confirmDeletion(record)
  }

  /** Calls `work` with each path's document, even if its file just vanished. @throws as `DocumentLocker` */
  async withLock<T>(
    member: Member,
    paths: ProjectPath[],
    work: (records: (DocumentRecord | null)[], sinceMs: number) => Promise<T>,
  ): Promise<T> {
    const resolveNow = () => paths.map((at) => ({ ...at, record: this.findInCatalogue(member, at) }))
    return this.locker.withLock(
      {
        find: async () => {
          for (const at of paths) await this.find(member, at)
          return resolveNow()
        },
        resolveNow,
        namesOf: (found) =>
          found.flatMap(({ project, path, record }) => [
            pathInHome(project, path),
            ...(record ? [record.id] : []),
          ]),
      },
      (locked, sinceMs) =>
        work(
          locked.map(({ record }) => record),
          sinceMs,
        ),
    )
  }

  private isOtherSpelling({ project, path }: ProjectPath): boolean {
    const { catalogue, tree } = this.shared
    return catalogue
      .atSimilarPath(project.id, path)
      .some((other) => isSameFile(tree, project, other.path, path))
  }

  private findInCatalogue(member: Member, { project, path }: ProjectPath): DocumentRecord | null {
    const { catalogue } = this.shared
    const key = path.normalize('NFC')
    const equal = () =>
      catalogue.atSimilarPath(project.id, path).find((other) => other.path.normalize('NFC') === key)
    const record = catalogue.at(project.id, path) ?? equal() ?? null
    return record?.kind === 'draft' && !maySeeDraft(member, record.authorId) ? null : record
  }
}
