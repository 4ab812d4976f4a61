import { isDeepStrictEqual } from 'node:util'
import { databasePath } from '../../data/home.ts'
import { watchLog } from '../../data/watch-log.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { Closers } from './closers.ts'
import type { People } from './people.ts'
import type { Storage } from './storage.ts'

/** Checks without requests, even if no write to the log is noticed. */
const checkIntervalMs = 1000

/** Counts from a write to the log, which may be this process's own. */
const checkDelayMs = 100

/** Returns a check for changes, which takes microseconds if there are none. */
export function followForeignChanges(
  { home, database, health, onProblem }: Storage,
  { identity, members, projects, changeTopics }: People,
  {
    disk,
    deliveryEnqueuer,
  }: { disk: Pick<DiskSync, 'refresh'>; deliveryEnqueuer: Pick<DeliveryEnqueuer, 'checkDue'> },
  closers: Closers,
): () => void {
  const refresh = () => {
    if (!database.noticeExternalChange()) return
    changeTopics.markChanged('workspace')
    identity.refresh()
    deliveryEnqueuer.checkDue()
    members.refresh()
    const before = projects.all()
    projects.refresh()
    // SQLite also reports a truncated log as a change. The disk depends only on projects.
    if (isDeepStrictEqual(before, projects.all())) return
    disk.refresh().catch((error) => onProblem('Changes by another process could not be loaded', error))
  }
  const check = () => {
    try {
      refresh()
    } catch (error) {
      health.reportError(error)
      onProblem('What another process changed could not be read; this is tried again', error)
    }
  }
  let pendingCheck: NodeJS.Timeout | null = null
  const checkSoon = () => {
    pendingCheck ??= setTimeout(() => {
      pendingCheck = null
      check()
    }, checkDelayMs).unref()
  }
  const interval = setInterval(check, checkIntervalMs).unref()
  const stopWatching = watchLog(databasePath(home), checkSoon)
  closers.add(() => {
    stopWatching()
    clearInterval(interval)
    if (pendingCheck) clearTimeout(pendingCheck)
  })
  return refresh
}
