import { copyFileSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { bodyOf, docs, openProjectFolder, type ProjectFolder } from '../../support/project-folder.ts'

const documents = '/v1/fs/projects/general/library/documents'

/** Returns the events after the first `count`. */
const since = (desk: ProjectFolder, count: number) => eventsOf(desk.home).slice(count)

t.test('changes made while the server was down are logged before the first answer', async (t) => {
  const desk = await openProjectFolder(t)
  const edited = await desk.put('Edited')
  const deleted = await desk.put('Deleted')
  const renamed = await desk.put('Renamed')
  const moved = await desk.put('Moved')
  const left = await desk.put('Left', 'One.\n')
  const right = await desk.put('Right', 'Two.\n')
  const copied = await desk.put('Copied')
  const kept = await desk.put('Kept')
  const card = (
    await desk.request('PUT', '/v1/fs/projects/general/board/01-triage/do.md', { body: '# Do\n' })
  ).json
  const before = eventsOf(desk.home)
  const at = (name: string) => desk.at(`documents/${name}.md`)

  await desk.restart(() => {
    writeFileSync(at('edited'), '# Edited\n\nBy hand.\n')
    unlinkSync(at('deleted'))
    desk.write('documents/created.md', '# Created\n')
    renameSync(at('renamed'), at('renamed-by-hand'))
    mkdirSync(desk.at('documents/shelf'))
    renameSync(at('moved'), at('shelf/moved'))
    writeFileSync(at('shelf/moved'), '# Moved\n\nAnd edited.\n')
    renameSync(at('left'), at('between'))
    renameSync(at('right'), at('left'))
    renameSync(at('between'), at('right'))
    copyFileSync(at('copied'), at('a-copy'))
    renameSync(desk.at(`board/01-triage/${card.filename}`), desk.at(`board/04-done/${card.filename}`))
  })

  // Read from the log, before anything is asked.
  const events = since(desk, before.length)
  t.ok(events.every(({ via, actorId }) => via === 'disk' && actorId === desk.owner.member.id))
  t.ok(events[0]!.tick > before.at(-1)!.tick, 'ticks go on rising')
  const of = (id: string) => events.filter(({ documentId }) => documentId === id)
  t.match(of(edited.id), [{ type: 'doc.write', detail: { path: edited.path } }])
  t.match(of(deleted.id), [{ type: 'doc.delete', detail: { path: deleted.path, deleted: true } }])
  t.match(of(renamed.id), [
    {
      type: 'doc.write',
      detail: { path: `${documents}/renamed-by-hand.md`, previousPath: renamed.path },
    },
  ])
  t.match(of(moved.id), [
    { type: 'doc.write', detail: { path: `${documents}/shelf/moved.md`, previousPath: moved.path } },
  ])
  t.match(of(left.id), [{ detail: { path: right.path, previousPath: left.path } }])
  t.match(of(right.id), [{ detail: { path: left.path, previousPath: right.path } }])
  t.match(of(card.id), [{ detail: { docType: 'card', previousPath: card.path } }])
  t.same([of(copied.id), of(kept.id)], [[], []])
  const fresh = events.filter(({ documentId }) => !before.some((event) => event.documentId === documentId))
  t.same(fresh.map(({ detail }) => detail.path).sort(), [`${documents}/a-copy.md`, `${documents}/created.md`])
  t.equal(events.length, 9)

  t.equal(bodyOf(await desk.request('GET', edited.path)), '# Edited\n\nBy hand.\n')
  t.equal((await desk.request('GET', deleted.path)).status, 404)
  t.match((await desk.request('GET', `${docs}/shelf/moved.md`)).text, `id: ${moved.id}\n`)
  t.equal((await desk.revisions(`${docs}/shelf/moved.md`)).length, 2)
  t.match((await desk.request('GET', '/v1/fs/projects/general/board/04-done')).json.cards, [
    { id: card.id, status: 'closed' },
  ])

  const count = eventsOf(desk.home).length
  await desk.restart()
  t.same(since(desk, count), [], 'a second start logs nothing')
})

t.test('equal files changed while the server was down are not taken for each other', async (t) => {
  const text = '# Twin\n\nAlike.\n'
  const desk = await openProjectFolder(t)
  for (const name of ['twin-a', 'twin-b', 'single']) {
    desk.write(`documents/${name}.md`, name === 'single' ? '# Single\n\nOnly one has these.\n' : text)
  }
  await desk.scan()
  const known = await desk.list()
  const count = eventsOf(desk.home).length
  await desk.restart(() => {
    for (const name of ['twin-a', 'twin-b', 'single']) unlinkSync(desk.at(`documents/${name}.md`))
    desk.write('documents/twin-c.md', text)
    desk.write('documents/single-moved.md', '# Single\n\nOnly one has these.\n')
    desk.write('documents/single-moved-too.md', '# Single\n\nOnly one has these.\n')
  })
  const events = since(desk, count)
  const deletions = events.filter(({ type }) => type === 'doc.delete').map(({ documentId }) => documentId)
  t.same(new Set(deletions), new Set([known.get('twin-a.md'), known.get('twin-b.md')]))
  const list = await desk.list()
  t.notOk([...known.values()].includes(list.get('twin-c.md')!))
  const heirs = ['single-moved.md', 'single-moved-too.md'].filter(
    (name) => list.get(name) === known.get('single.md'),
  )
  t.equal(heirs.length, 1, 'one file alone keeps the id')
  t.equal(new Set(list.values()).size, list.size)
})

t.test('a copy that sorts before its original is still the copy', async (t) => {
  const desk = await openProjectFolder(t)
  const { id } = await desk.put('Zulu')
  await desk.restart(() => copyFileSync(desk.at('documents/zulu.md'), desk.at('documents/a-zulu.md')))
  const list = await desk.list()
  t.equal(list.get('zulu.md'), id)
  t.type(list.get('a-zulu.md'), 'string')
  t.not(list.get('a-zulu.md'), id)
  t.equal(desk.events(id).length, 1)
})
