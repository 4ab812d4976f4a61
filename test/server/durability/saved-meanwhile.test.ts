import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { type HomeState, stateOf } from '../../support/home-state.ts'
import { general, put } from './deeds.ts'
import { type LeftHome, roomToLeave } from './left-home.ts'

/** A room with a document into which an editor saves once, between our last look and our rename. */
async function roomWithEditor(t: Test) {
  const disk = breakableDisk()
  let onCommit = (_count: number) => {}
  let commits = 0
  const beforeCommit = () => onCommit(++commits)
  const room = await roomToLeave(t, { faults: { tree: { fs: disk.fs }, database: { beforeCommit } } })
  const { id } = await put(room, 'docs/plan.md', '# Plan\n\nOld.\n')
  const path = join(room.home, 'projects/general/documents/plan.md')
  disk.replace('linkSync', (real, [, to]) => {
    if (String(to).includes('displaced-')) {
      disk.mend()
      writeFileSync(join(room.home, 'saving'), '# Plan\n\nSaved by hand.\n')
      renameSync(join(room.home, 'saving'), path)
    }
    return real()
  })
  return {
    room,
    /** Replaces the document; `hear` is told of each commit that is about to happen, counted from 1. */
    async write(hear: (count: number) => void = () => {}) {
      commits = 0
      onCommit = hear
      const answer = await room.request('PUT', `${general}/docs/plan.md`, { body: '# Plan\n\nOurs.\n' })
      onCommit = () => {}
      return answer
    },
    vias: ({ rows }: HomeState) =>
      (rows.revisions as { document_id: string; via: string }[])
        .filter(({ document_id }) => document_id === id)
        .map(({ via }) => via),
  }
}

const place = 'projects/general/documents/plan.md'

t.test('what an editor saved at the moment of a write is a revision below it', async (t) => {
  const { room, write, vias } = await roomWithEditor(t)
  t.equal((await write()).status, 201)
  const state = stateOf(room.home)
  t.equal(state.files[place], '# Plan\n\nOurs.\n')
  t.same(vias(state), ['api', 'disk', 'api'])
  t.same(state.staged, [])
  const { json } = await room.request('GET', `${general}/docs/plan.md/_revisions`)
  const saved = json.revisions[1].revision
  t.match(await room.request('GET', `${general}/docs/plan.md?revision=${saved}`), { text: 'Saved by hand.' })
})

t.test('it is one also where the process ends before it was', async (t) => {
  const { room, write, vias } = await roomWithEditor(t)
  const left: LeftHome[] = []
  await write((count) => {
    if (count === 2) left.push(room.leave())
  })
  const recovered = await left[0]!.recover()
  t.equal(recovered.files[place], '# Plan\n\nOurs.\n')
  t.same(vias(recovered), ['api', 'disk', 'api'])
  t.same(recovered.staged, [])
})

t.test(
  'where it cannot be one now the write is answered all the same, and the next start makes it one',
  async (t) => {
    const { room, write, vias } = await roomWithEditor(t)
    const answer = await write((count) => {
      if (count === 2) throw systemError('SQLITE_FULL')
    })
    t.equal(answer.status, 201)
    t.ok(
      room.log.lines.some(({ level, message }) => level === 'error' && message.includes('documents/plan.md')),
    )
    t.same(vias(stateOf(room.home)), ['api', 'api'])
    await room.restart()
    const recovered = stateOf(room.home)
    t.same(vias(recovered), ['api', 'disk', 'api'])
    t.same(recovered.staged, [])
  },
)
