import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DiskSync } from '../disk/disk-sync.ts'

const maxAttempts = 8

interface Meant {
  project: Project
  record: DocumentRecord | null
}

interface Resolver<M extends Meant> {
  find(): Promise<readonly M[]>
  resolveNow(): readonly M[]
  namesOf(meant: readonly M[]): string[]
}

export class DocumentLocker {
  private readonly disk: DiskSync
  private readonly locks: Locks

  constructor(deps: { disk: DiskSync; locks: Locks }) {
    this.disk = deps.disk
    this.locks = deps.locks
  }

  /** @throws WorkspaceError `unavailable` if a file keeps changing, or its project cannot be written */
  async withLock<M extends Meant, T>(
    resolver: Resolver<M>,
    work: (meant: readonly M[], sinceMs: number) => Promise<T>,
  ): Promise<T> {
    const sinceMs = performance.now()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await resolver.find()
      const attempted = async () => {
        // The previous holder of the lock may have changed it. Reconciling here would deadlock.
        const meant = resolver.resolveNow()
        // First, since the files of a project that waits for disk space differ from the catalogue.
        for (const { project } of meant) this.disk.requireUsable(project, 'write')
        if (!meant.every((one, index) => this.isUnchangedSince(one, found[index]!))) return null
        return { result: await work(meant, sinceMs) }
      }
      const outcome = await this.locks.run(resolver.namesOf(found), attempted, sinceMs)
      if (outcome) return outcome.result
    }
    throw new WorkspaceError('unavailable', 'The file keeps changing on the disk. Try again in a moment.', {
      retryAfterMs: 1000,
    })
  }

  private isUnchangedSince({ record, project }: Meant, found: Meant): boolean {
    if (record?.id !== found.record?.id) return false
    return record === null || this.disk.isMissing(record) || this.disk.isReconciled(record, project)
  }
}
