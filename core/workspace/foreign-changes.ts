import { isDeepStrictEqual } from 'node:util'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { Closers } from './closers.ts'
import type { People } from './people.ts'
import type { Storage } from './storage.ts'

/** How often changes of other processes are checked without requests. */
const checkIntervalMs = 250

/** @returns a check for changes, which takes microseconds if there are none */
export function followForeignChanges(
  { database, health, onProblem }: Storage,
  { identity, members, projects, touches }: People,
  {
    disk,
    webhookCalls,
  }: { disk: Pick<DiskSync, 'refresh'>; webhookCalls: Pick<DeliveryEnqueuer, 'checkDue'> },
  closers: Closers,
): () => void {
  const refresh = () => {
    if (!database.noticeExternalChange()) return
    touches.markChanged('workspace')
    identity.refresh()
    webhookCalls.checkDue()
    members.refresh()
    const before = projects.all()
    projects.refresh()
    // SQLite also reports a truncated log as a change. The disk only depends on projects.
    if (isDeepStrictEqual(before, projects.all())) return
    disk.refresh().catch((error) => onProblem('Changes by another process could not be loaded', error))
  }
  const timer = setInterval(() => {
    try {
      refresh()
    } catch (error) {
      health.noteError(error)
      onProblem('What another process changed could not be read; this is tried again', error)
    }
  }, checkIntervalMs).unref()
  closers.add(() => clearInterval(timer))
  return refresh
}
