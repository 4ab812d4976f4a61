import { setImmediate } from 'node:timers/promises'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import { isSafeName, type PathStat } from '../../data/tree/index.ts'
import { SharedRuns } from '../concurrency/shared-runs.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { homePathAt, type MountLocation } from './mount-paths.ts'

interface SeenEntry {
  name: string
  stat: PathStat
  /** The document of the file; null if there is none, or the file has changed. */
  record: DocumentRecord | null
}

const pauseEveryMs = 4

/** Stats all entries of a folder, each once, for all requests that arrived before the first `stat`. */
export class FolderLooks {
  private readonly shared: Pick<SharedDeps, 'catalogue' | 'tree'>
  private readonly disk: Pick<DiskSync, 'isReconciledAt'>
  private readonly runs = new SharedRuns<SeenEntry[]>()

  constructor(shared: FolderLooks['shared'], disk: FolderLooks['disk']) {
    this.shared = shared
    this.disk = disk
  }

  /** By name; without names that cannot be part of a path. */
  at(where: Pick<MountLocation, 'project' | 'path'>): Promise<SeenEntry[]> {
    return this.runs.join(homePathAt(where), () => this.look(where))
  }

  private async look(where: Pick<MountLocation, 'project' | 'path'>): Promise<SeenEntry[]> {
    const seen: SeenEntry[] = []
    let pauseAtMs = performance.now() + pauseEveryMs
    for (const { name, stat } of this.shared.tree.entries(homePathAt(where)) ?? []) {
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
      if (stat.kind === 'file') seen.push({ name, stat, record: this.unchanged(where, name, stat) })
      else if (isSafeName(name)) seen.push({ name, stat, record: null })
    }
    return seen
  }

  private unchanged(
    { project, path }: Pick<MountLocation, 'project' | 'path'>,
    name: string,
    { stamp }: PathStat & { kind: 'file' },
  ): DocumentRecord | null {
    const record = this.shared.catalogue.at(project.id, `${path}/${name}`)
    return record && this.disk.isReconciledAt(stamp, record, project) ? record : null
  }
}
