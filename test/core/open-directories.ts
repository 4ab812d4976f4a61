import { join } from 'node:path'
import type { Test } from 'tap'
import type { Member } from '../../core/access/member.ts'
import { newIdFactory, systemRandom } from '../../core/ids.ts'
import type { Clock } from '../../core/time/clock.ts'
import { openPeopleAndProjects, type PeopleAndProjects } from '../../core/workspace/directories.ts'
import type { Database } from '../../data/database.ts'
import { openDatabase } from '../../data/open-database.ts'

export interface OpenedDirectories extends PeopleAndProjects {
  database: Database
  clock: StillClock
  /** The same database opened a second time, as by another process. */
  neighbour: PeopleAndProjects & { database: Database }
  /** The first owner. */
  owner: Member
  ownerKey: string
}

/** A clock that moves only when it is set, and whose timers never fire. */
export class StillClock implements Clock {
  nowMs = Date.UTC(2026, 0, 1)
  now = () => this.nowMs
  at = () => ({ cancel: () => {} })
  after = this.at
  elapsed = () => this.nowMs
  onJump = this.at
  retentionCutoff = (ageMs: number) => this.nowMs - ageMs
}

/** Opens members and projects on a fresh database with one owner, Ada, until the test ends. */
export async function freshDirectories(t: Test): Promise<OpenedDirectories> {
  const path = join(t.testdir(), 'workroom.db')
  const clock = new StillClock()
  const newId = newIdFactory(clock, systemRandom)
  const open = () => {
    const database = openDatabase(path)
    t.teardown(() => database.close())
    return { database, ...openPeopleAndProjects({ database, clock, random: systemRandom, newId }) }
  }
  const opened = open()
  const { member: owner, key: ownerKey } = await opened.members.add({
    name: 'Ada',
    type: 'human',
    role: 'owner',
  })
  return { ...opened, clock, neighbour: open(), owner, ownerKey }
}
