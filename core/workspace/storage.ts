import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../data/database.ts'
import { lockHome, openTree } from '../../data/tree/index.ts'
import { Health } from '../health/index.ts'
import { requireOutsideProjects, requireWorkspace } from '../home/home.ts'
import { openHomeDatabase } from '../home/home-database.ts'
import { newIdFactory, systemRandom } from '../ids.ts'
import { systemClock } from '../time/clock.ts'
import { JumpDetectingClock } from '../time/jump-detecting-clock.ts'
import type { Closers } from './closers.ts'
import { openTables } from './tables.ts'
import type { WorkspaceOptions } from './types.ts'

export type Storage = ReturnType<typeof openStorage>

/** @throws WorkspaceError `not_found` if there is no workspace; HomeLockedError if it is in use */
export function openStorage(
  { home, config, clock: wallClock = systemClock, random = systemRandom, ...options }: WorkspaceOptions,
  closers: Closers,
) {
  const { onProblem = () => {}, faults = {} } = options
  requireWorkspace(home)
  requireOutsideProjects(home)
  const lock = lockHome(home)
  closers.add(() => lock.release())
  const health = new Health({ home, clock: wallClock, onProblem })
  const database = openHomeDatabase(home, {
    isLocked: true,
    flushesAfterCommit: true,
    ...health.databaseListeners(),
    ...faults.database,
  })
  closers.add(() => database.close())
  if (database.isExclusive) {
    onProblem('The disk is full: no command works beside this server until it is restarted')
  }
  const tables = openTables(database.connection)
  const clock = new JumpDetectingClock({ ...tables, clock: wallClock, database, onProblem })
  closers.add(() => clock.stop())
  const tree = health.attach(openTree(home, { isPrivate: config.disk.private, ...faults.tree }))
  return {
    home,
    health,
    database,
    tables,
    clock,
    random,
    tree,
    newId: newIdFactory(clock, random),
    address: new PublicAddress({ database, tables, onProblem }, config.outbound.allow),
    onProblem,
  }
}

interface PublicAddressDeps {
  database: Database
  tables: Pick<ReturnType<typeof openTables>, 'workspace'>
  onProblem: (message: string, error?: unknown) => void
}

/** Without a slash at its end; empty until the server's port is known. */
class PublicAddress {
  private url = ''

  constructor(
    private readonly deps: PublicAddressDeps,
    private readonly outboundAllow: string[],
  ) {}

  pageUrl(path: string): string {
    return this.url + path
  }

  /** Resolves once the command line can read it. A failure to store it is only reported. */
  async set(url: string): Promise<void> {
    this.url = url
    const { database, onProblem } = this.deps
    const { workspace } = this.deps.tables
    const isStored =
      workspace.address() === url && isDeepStrictEqual(workspace.outboundAllow(), this.outboundAllow)
    if (isStored) return
    await database
      .commit(() => {
        workspace.setAddress(url)
        workspace.setOutboundAllow(this.outboundAllow)
      })
      .catch((error) => onProblem('The address could not be stored for the command line', error))
  }
}
