import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import { isSafeName, type PathStat } from '../../data/tree/index.ts'
import { SharedRuns } from '../concurrency/shared-runs.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { homePathAt, type MountLocation } from './mount-paths.ts'

interface ListedEntry {
  name: string
  stat: PathStat
  /** The file's document; null if there is none, or the file has changed. */
  record: DocumentRecord | null
}

/** Stats each entry of a folder once for all requests that arrive before the first `stat`. */
export class FolderListings {
  private readonly runs = new SharedRuns<ListedEntry[]>()

  constructor(
    private readonly shared: Pick<SharedDeps, 'catalogue' | 'tree'>,
    private readonly disk: Pick<DiskSync, 'isReconciledAt'>,
  ) {}

  /** In the order of names, without those that cannot be part of a path. */
  at(location: Pick<MountLocation, 'project' | 'path'>): Promise<ListedEntry[]> {
    return this.runs.join(homePathAt(location), () => this.list(location))
  }

  private async list(location: Pick<MountLocation, 'project' | 'path'>): Promise<ListedEntry[]> {
    const listed: ListedEntry[] = []
    const slice = new TimeSlice()
    for (const { name, stat } of this.shared.tree.entries(homePathAt(location)) ?? []) {
      while (slice.isOver) await slice.pause()
      if (stat.kind === 'file') listed.push({ name, stat, record: this.findUnchanged(location, name, stat) })
      else if (isSafeName(name)) listed.push({ name, stat, record: null })
    }
    return listed
  }

  private findUnchanged(
    { project, path }: Pick<MountLocation, 'project' | 'path'>,
    name: string,
    { stamp }: PathStat & { kind: 'file' },
  ): DocumentRecord | null {
    const record = this.shared.catalogue.at(project.id, `${path}/${name}`)
    return record && this.disk.isReconciledAt(stamp, record, project) ? record : null
  }
}
