import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Member } from '../../access/member.ts'
import { maySeeDraft } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { DocumentLocker } from './holding.ts'
import { isSameFile } from './same-file.ts'

export interface ProjectPath {
  project: Project
  path: string
}

/** Finds documents by the exact paths of their files alone. The caller checks access. */
export class PathResolver {
  private readonly shared: DocumentsDeps
  private readonly disk: DiskSync
  private readonly holding: DocumentLocker

  constructor(shared: DocumentsDeps, deps: { disk: DiskSync; holding: DocumentLocker }) {
    this.shared = shared
    this.disk = deps.disk
    this.holding = deps.holding
  }

  /** Reconciles first. Null if the member may not see the document. @throws WorkspaceError `unavailable` */
  async find(member: Member, at: ProjectPath): Promise<DocumentRecord | null> {
    const known = this.knownDocument(member, at)
    if (!known && this.isOtherSpelling(at)) return null
    if (!known || !this.disk.isReconciled(known, at.project)) {
      if (known) await this.disk.reconcile(known)
      await this.disk.checkPath(pathInHome(at.project, at.path))
    }
    return this.present(this.knownDocument(member, at))
  }

  present(record: DocumentRecord | null): DocumentRecord | null {
    return record && !this.disk.isMissing(record) ? record : null
  }

  /** Frees a path whose file just vanished. @throws WorkspaceError `unavailable` until that is confirmed */
  async releasePath(member: Member, at: ProjectPath): Promise<void> {
    await this.find(member, at)
    const known = this.knownDocument(member, at)
    if (known && this.disk.isMissing(known)) await this.disk.confirmDeletion(known)
  }

  /** Calls `work` with each path's document, even if its file just vanished. @throws as `DocumentLocker` */
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
