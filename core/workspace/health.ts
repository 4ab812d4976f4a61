import { storeSnapshot } from '../../data/backup/snapshots.ts'
import { holdsProjects } from '../../data/home.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { Closers } from './closers.ts'
import type { Storage } from './storage.ts'

export function startHealth(
  { clock, database, health, home, tree }: Storage,
  disk: Pick<DiskSync, 'problems'>,
  closers: Closers,
): void {
  health.addSource(() => disk.problems())
  health.start({
    async probe() {
      tree.discard(tree.stage(Buffer.from('probe')).name)
      await clock.flush()
    },
    saveDatabase: async () =>
      holdsProjects(home) ? storeSnapshot(home, clock.now(), (to) => database.copyTo(to)) : null,
  })
  closers.add(() => health.stop())
}
