import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { stateOf } from '../../support/home-state.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { deeds, put } from './writes.ts'

const markdown = sharedMarkdown(t)

const hourMs = 60 * 60 * 1000

t.test('ticks rise across restarts, even if the clock has stepped back meanwhile', async (t) => {
  const workroom = await startWorkroom(t, { faults: { markdown } })
  for (let n = 0; n < 3; n++) await put(workroom, 'docs/plan.md', `# Plan\n\nNumber ${n}.\n`)
  const before = eventsOf(workroom.home)
  await workroom.restart(() => workroom.clock.advance(-hourMs))
  for (let n = 3; n < 6; n++) await put(workroom, 'docs/plan.md', `# Plan\n\nNumber ${n}.\n`)
  await workroom.restart(() => workroom.clock.advance(2 * hourMs))
  await put(workroom, 'docs/plan.md', '# Plan\n\nThe last.\n')
  const events = eventsOf(workroom.home)
  t.same(events.slice(0, before.length), before)
  const ticks = events.map(({ tick }) => tick)
  t.same(
    ticks,
    [...new Set(ticks)].sort((one, other) => one - other),
  )
  t.ok(events.at(-2)!.atMs < before.at(-1)!.atMs, 'the event has the time of the clock')
})

t.test('a start logs what happened while the server was down, and a second start nothing', async (t) => {
  const workroom = await startWorkroom(t, { faults: { markdown } })
  for (const [index, prepare] of Object.values(deeds).entries())
    await (await prepare(workroom, `thing-${index}`))()
  const at = (path: string) => join(workroom.home, 'projects/general/documents', path)
  for (const name of ['edited', 'renamed', 'removed']) await put(workroom, `docs/${name}.md`, `# ${name}\n`)
  const before = eventsOf(workroom.home)
  await workroom.restart(() => {
    writeFileSync(at('edited.md'), '# edited\n\nWhile nobody looked.\n')
    renameSync(at('renamed.md'), at('moved.md'))
    rmSync(at('removed.md'))
    writeFileSync(at('added.md'), '# added\n')
  })
  const newEvents = eventsOf(workroom.home).slice(before.length)
  t.same(newEvents.map(({ type, via, detail }) => [type, via, detail.path.split('/').at(-1)]).sort(), [
    ['doc.delete', 'disk', 'removed.md'],
    ['doc.write', 'disk', 'added.md'],
    ['doc.write', 'disk', 'edited.md'],
    ['doc.write', 'disk', 'moved.md'],
  ])
  const after = stateOf(workroom.home)
  await workroom.restart()
  t.same(stateOf(workroom.home), after)
  await workroom.restart()
  t.same(stateOf(workroom.home), after)
})
