import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DiskSync } from '../disk/disk-sync.ts'

const maxAttempts = 8

interface LockTarget {
  project: Project
  record: DocumentRecord | null
}

interface Resolver<Target extends LockTarget> {
  find(): Promise<readonly Target[]>
  resolveNow(): readonly Target[]
  namesOf(targets: readonly Target[]): string[]
}

export class DocumentLocker {
  private readonly disk: DiskSync
  private readonly locks: Locks

  constructor(deps: { disk: DiskSync; locks: Locks }) {
    this.disk = deps.disk
    this.locks = deps.locks
  }

  /** @throws WorkspaceError `unavailable` if a file keeps changing, or its project cannot be written */
  async withLock<Target extends LockTarget, Result>(
    resolver: Resolver<Target>,
    work: (targets: readonly Target[], sinceMs: number) => Promise<Result>,
  ): Promise<Result> {
    const sinceMs = performance.now()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await resolver.find()
      const runLocked = async () => {
        // The previous holder of the lock may have changed it. Reconciling here would deadlock.
        const targets = resolver.resolveNow()
        // First, since the files of a project that waits for disk space differ from the catalogue.
        for (const { project } of targets) this.disk.requireUsable(project, 'write')
        if (!targets.every((target, index) => this.isUnchangedSince(target, found[index]!))) return null
        return { result: await work(targets, sinceMs) }
      }
      const outcome = await this.locks.run(resolver.namesOf(found), runLocked, sinceMs)
      if (outcome) return outcome.result
    }
    throw new WorkspaceError('unavailable', 'The file keeps changing on the disk. Try again in a moment.', {
      retryAfterMs: 1000,
    })
  }

  private isUnchangedSince({ record, project }: LockTarget, found: LockTarget): boolean {
    if (record?.id !== found.record?.id) return false
    return record === null || this.disk.isMissing(record) || this.disk.isReconciled(record, project)
  }
}
