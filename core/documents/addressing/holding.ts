import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DiskSync } from '../disk/disk-sync.ts'

/** How often a change settles files that an editor keeps changing under it. */
const maxAttempts = 8

/** What a request means: a document of a project, or the place of one that is yet to be. */
interface Meant {
  project: Project
  record: DocumentRecord | null
}

/** Finds what a request means: by an address, or by the paths of files. */
interface Resolver<M extends Meant> {
  /** Finds it, settled: what the disk says of it has been taken in. */
  find(): Promise<readonly M[]>
  /** Finds it without waiting for anything. */
  resolveNow(): readonly M[]
  /** The names that are locked while it is held. */
  namesOf(meant: readonly M[]): string[]
}

/** Keeps what a request means from being changed by others while it is worked on. */
export class DocumentLocker {
  private readonly disk: DiskSync
  private readonly locks: Locks

  constructor(deps: { disk: DiskSync; locks: Locks }) {
    this.disk = deps.disk
    this.locks = deps.locks
  }

  /**
   * Runs `work` on what a resolver finds, settled, with no other change to it at the same time.
   * @param work also gets the time at which the request came (`performance.now()`): those that came later come after it
   * @throws WorkspaceError `unavailable` where an editor does not let go of a file, or a project cannot be written
   */
  async withLock<M extends Meant, T>(
    resolver: Resolver<M>,
    work: (meant: readonly M[], sinceMs: number) => Promise<T>,
  ): Promise<T> {
    const sinceMs = performance.now()
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await resolver.find()
      const attempted = async () => {
        // Whoever held it before may have changed it. Settling from in here would wait for itself.
        const meant = resolver.resolveNow()
        // First: in a project that waits for room on the disk, files are not what is known of them.
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
