import { storeSnapshot } from '../../data/backup/snapshots.ts'
import { holdsProjects } from '../../data/home.ts'
import type { Problem } from '../health/types.ts'
import type { Closers } from './closers.ts'
import type { Storage } from './storage.ts'

export function startHealth(
  { clock, database, health, home, tree }: Storage,
  sources: readonly { problems(): Problem[] }[],
  closers: Closers,
): void {
  for (const source of sources) health.addSource(() => source.problems())
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
