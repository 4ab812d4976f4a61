import { copyFileSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { bodyOf, docs, openProjectFolder, type ProjectFolder } from '../../support/project-folder.ts'

const documents = '/v1/fs/projects/general/library/documents'

/** Returns the events after the first `count`. */
const since = (workroom: ProjectFolder, count: number) => eventsOf(workroom.home).slice(count)

t.test('changes made while the server was down are logged before the first answer', async (t) => {
  const workroom = await openProjectFolder(t)
  const edited = await workroom.put('Edited')
  const deleted = await workroom.put('Deleted')
  const renamed = await workroom.put('Renamed')
  const moved = await workroom.put('Moved')
  const left = await workroom.put('Left', 'One.\n')
  const right = await workroom.put('Right', 'Two.\n')
  const copied = await workroom.put('Copied')
  const kept = await workroom.put('Kept')
  const card = (
    await workroom.request('PUT', '/v1/fs/projects/general/board/01-triage/do.md', { body: '# Do\n' })
  ).json
  const before = eventsOf(workroom.home)
  const at = (name: string) => workroom.at(`documents/${name}.md`)

  await workroom.restart(() => {
    writeFileSync(at('edited'), '# Edited\n\nBy hand.\n')
    unlinkSync(at('deleted'))
    workroom.write('documents/created.md', '# Created\n')
    renameSync(at('renamed'), at('renamed-by-hand'))
    mkdirSync(workroom.at('documents/shelf'))
    renameSync(at('moved'), at('shelf/moved'))
    writeFileSync(at('shelf/moved'), '# Moved\n\nAnd edited.\n')
    renameSync(at('left'), at('between'))
    renameSync(at('right'), at('left'))
    renameSync(at('between'), at('right'))
    copyFileSync(at('copied'), at('a-copy'))
    renameSync(workroom.at(`board/01-triage/${card.filename}`), workroom.at(`board/04-done/${card.filename}`))
  })

  // Read from the log, before anything is asked.
  const events = since(workroom, before.length)
  t.ok(events.every(({ via, actorId }) => via === 'disk' && actorId === workroom.owner.member.id))
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

  t.equal(bodyOf(await workroom.request('GET', edited.path)), '# Edited\n\nBy hand.\n')
  t.equal((await workroom.request('GET', deleted.path)).status, 404)
  t.match((await workroom.request('GET', `${docs}/shelf/moved.md`)).text, `id: ${moved.id}\n`)
  t.equal((await workroom.revisions(`${docs}/shelf/moved.md`)).length, 2)
  t.match((await workroom.request('GET', '/v1/fs/projects/general/board/04-done')).json.cards, [
    { id: card.id, status: 'closed' },
  ])

  const count = eventsOf(workroom.home).length
  await workroom.restart()
  t.same(since(workroom, count), [], 'a second start logs nothing')
})

t.test('equal files changed while the server was down are not taken for each other', async (t) => {
  const text = '# Twin\n\nAlike.\n'
  const workroom = await openProjectFolder(t)
  for (const name of ['twin-a', 'twin-b', 'single']) {
    workroom.write(`documents/${name}.md`, name === 'single' ? '# Single\n\nOnly one has these.\n' : text)
  }
  await workroom.scan()
  const known = await workroom.list()
  const count = eventsOf(workroom.home).length
  await workroom.restart(() => {
    for (const name of ['twin-a', 'twin-b', 'single']) unlinkSync(workroom.at(`documents/${name}.md`))
    workroom.write('documents/twin-c.md', text)
    workroom.write('documents/single-moved.md', '# Single\n\nOnly one has these.\n')
    workroom.write('documents/single-moved-too.md', '# Single\n\nOnly one has these.\n')
  })
  const events = since(workroom, count)
  const deletions = events.filter(({ type }) => type === 'doc.delete').map(({ documentId }) => documentId)
  t.same(new Set(deletions), new Set([known.get('twin-a.md'), known.get('twin-b.md')]))
  const list = await workroom.list()
  t.notOk([...known.values()].includes(list.get('twin-c.md')!))
  const heirs = ['single-moved.md', 'single-moved-too.md'].filter(
    (name) => list.get(name) === known.get('single.md'),
  )
  t.equal(heirs.length, 1, 'one file alone keeps the id')
  t.equal(new Set(list.values()).size, list.size)
})

t.test('a copy that sorts before its original is still the copy', async (t) => {
  const workroom = await openProjectFolder(t)
  const { id } = await workroom.put('Zulu')
  await workroom.restart(() =>
    copyFileSync(workroom.at('documents/zulu.md'), workroom.at('documents/a-zulu.md')),
  )
  const list = await workroom.list()
  t.equal(list.get('zulu.md'), id)
  t.type(list.get('a-zulu.md'), 'string')
  t.not(list.get('a-zulu.md'), id)
  t.equal(workroom.events(id).length, 1)
})
