import t from 'tap'
import { examine } from '../../../core/doctor.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { stateOf } from '../../support/home-state.ts'
import { deeds, type Prepare } from './deeds.ts'
import { type LeftHome, roomToLeave } from './left-home.ts'

interface Moment {
  /** What the process was about to do. */
  about: string
  left: LeftHome
  isCommitted: boolean
}

const changesOfDisk = [
  'writeSync',
  'mkdirSync',
  'linkSync',
  'symlinkSync',
  'renameSync',
  'unlinkSync',
  'fsync',
] as const

const disk = breakableDisk()
let beforeCommit = () => {}
const faults = { tree: { fs: disk.fs }, database: { beforeCommit: () => beforeCommit() } }
const room = await roomToLeave(t, { faults })
await room.addMember({ name: 'Grace', type: 'human' }, 'general')

/** Makes a change, and keeps the home as it was before each step of it, and after the last. */
async function momentsOf(deed: Awaited<ReturnType<Prepare>>): Promise<Moment[]> {
  const moments: Moment[] = []
  let isCommitted = false
  const keep = (about: string) => {
    moments.push({ about, left: room.leave(), isCommitted })
  }
  for (const call of changesOfDisk) {
    disk.replace(call, (real, args) => {
      keep(`before ${call} ${args.map(String).join(' ').replaceAll(room.home, '').slice(0, 80)}`)
      return real()
    })
  }
  beforeCommit = () => {
    keep('before COMMIT')
    isCommitted = true
  }
  const answer = await deed()
  keep('once it is answered')
  disk.mend()
  beforeCommit = () => {}
  if (answer.status >= 300) throw new Error(answer.text)
  return moments
}

let count = 0
for (const [what, prepare] of Object.entries(deeds)) {
  t.test(`a process that ends at any step of ${what} leaves it wholly done or not begun`, async (t) => {
    const deed = await prepare(room, `thing-${++count}`)
    await room.restart()
    const before = stateOf(room.home)
    const moments = await momentsOf(deed)
    const after = stateOf(room.home)
    t.ok(moments.length >= 4)
    t.equal(after.rows.events!.length, before.rows.events!.length + 1, 'one event')
    for (const { about, left, isCommitted } of moments) {
      const recovered = await left.recover()
      t.same(recovered, isCommitted ? after : before, about)
      t.same((await examine(left.home)).findings, [], 'doctor finds no difference')
      t.same(await left.recover(), recovered, 'a second start changes nothing')
    }
  })
}
