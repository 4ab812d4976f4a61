import { hash } from 'node:crypto'
import nodeFs, { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import t from 'tap'
import type { FileSystem } from '../../../data/tree/index.ts'
import { saveByRename, saveInPlace } from '../../support/editors.ts'
import { bodyOf, docs, openProjectFolder } from '../../support/project-folder.ts'

/** Functions that run once, just before the server's call on the file of a name. */
const gaps = new Map<string, () => void>()
function happenBefore(call: 'linkSync' | 'renameSync', path: unknown): void {
  const gap = `${call} ${basename(String(path))}`
  const happen = gaps.get(gap)
  gaps.delete(gap)
  happen?.()
}
const fs: FileSystem = {
  ...nodeFs,
  linkSync(from, to) {
    happenBefore('linkSync', to)
    nodeFs.linkSync(from, to)
  },
  renameSync(from, to) {
    happenBefore('renameSync', from)
    nodeFs.renameSync(from, to)
  },
}
const workroom = await openProjectFolder(t, { faults: { tree: { fs } } })
const { key: bobsKey } = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
const revisionOf = (text: string) => hash('sha256', text).slice(0, 20)

t.test(
  'of several writers with the same revision one wins, and the others write nothing',
  { buffered: true },
  async (t) => {
    for (let round = 1; round <= 5; round++) {
      const title = `Duel ${round}`
      const { id, path, revision } = await workroom.put(title)
      const texts = ['Ada', 'Bob', 'Ada again'].map((name) => `# ${title}\n\n${name}.\n`)
      const responses = await Promise.all(
        texts.map((body, n) =>
          workroom.request('PUT', path, {
            body,
            headers: { 'If-Match': `"${revision}"` },
            ...(n === 1 ? { key: bobsKey } : {}),
          }),
        ),
      )
      t.same(responses.map(({ status }) => status).sort(), [201, 409, 409])
      const winner = texts[responses.findIndex(({ status }) => status === 201)]!
      t.equal(readFileSync(workroom.at(`documents/duel-${round}.md`), 'utf8'), winner)
      t.equal(workroom.events(id).length, 2)
      t.equal((await workroom.revisions(path)).length, 2)

      const loser = responses.findIndex(({ status }) => status === 409)
      t.equal(responses[loser]!.json.currentRevision, revisionOf(winner))
      const retry = await workroom.request('PUT', path, {
        body: texts[loser],
        headers: { 'If-Match': responses[loser]!.json.currentRevision },
      })
      t.equal(retry.status, 201)
    }
  },
)

t.test('of a block write and a file write at once, one wins', { buffered: true }, async (t) => {
  const { path, revision } = await workroom.put('Halves', 'One.\n\nTwo.\n')
  const { blocks } = (await workroom.request('GET', `${path}?view=blocks`)).json
  const block = blocks.find(({ text }: { text: string }) => text === 'Two.').id
  const headers = { 'If-Match': `"${revision}"` }
  const [whole, part] = await Promise.all([
    workroom.request('PUT', path, { body: '# Halves\n\nWhole.\n', headers, key: bobsKey }),
    workroom.request('PUT', `${path}?block=${block}`, { body: 'Part.', headers }),
  ])
  t.same([whole.status, part.status].sort(), [201, 409])
  const file = readFileSync(workroom.at('documents/halves.md'), 'utf8')
  t.equal(file, whole.status === 201 ? '# Halves\n\nWhole.\n' : '# Halves\n\nOne.\n\nPart.\n')
})

t.test('of several PUTs that create the same file, one succeeds', { buffered: true }, async (t) => {
  const responses = await Promise.all(
    ['Ada', 'Bob', 'Ada again', 'Bob again'].map((name, n) =>
      workroom.request('PUT', `${docs}/founded.md`, {
        body: `# Founded\n\n${name}.\n`,
        headers: { 'If-None-Match': '*' },
        ...(n % 2 === 1 ? { key: bobsKey } : {}),
      }),
    ),
  )
  t.same(responses.map(({ status }) => status).sort(), [201, 409, 409, 409])
  t.same(
    responses.filter(({ json }) => json.created === true).map(({ json }) => json.filename),
    ['founded.md'],
  )
  t.equal(workroom.eventsAt('founded.md').length, 1)
})

t.test(
  'a PUT with an old revision is refused if the file has an unseen edit',
  { buffered: true },
  async (t) => {
    const { id, path, revision } = await workroom.put('Guarded')
    const edited = '# Guarded\n\nBy hand.\n'
    saveByRename(workroom.at('documents/guarded.md'), edited)
    const put = await workroom.request('PUT', path, {
      body: '# Guarded\n\nMine.\n',
      headers: { 'If-Match': `"${revision}"` },
    })
    t.match([put.status, put.json.currentRevision], [409, revisionOf(edited)])
    t.equal(readFileSync(workroom.at('documents/guarded.md'), 'utf8'), edited)
    t.match(
      workroom.events(id).map(({ via }) => via),
      ['api', 'disk'],
    )
  },
)

t.test(
  'an unconditional PUT over an unseen edit keeps both as revisions, the edit first',
  { buffered: true },
  async (t) => {
    const { id, path } = await workroom.put('Covered')
    const edited = '# Covered\n\nBy hand.\n'
    const mine = '# Covered\n\nMine.\n'
    writeFileSync(workroom.at('documents/covered.md'), edited)
    t.equal((await workroom.request('PUT', path, { body: mine })).status, 201)
    t.same(
      workroom.events(id).map(({ via }) => via),
      ['api', 'disk', 'api'],
    )
    const revisions = await workroom.revisions(path)
    t.match(
      revisions.map(({ revision, via }) => [revision, via]),
      [
        [String, 'api'],
        [revisionOf(edited), 'disk'],
        [revisionOf(mine), 'api'],
      ],
    )
    t.equal(bodyOf(await workroom.request('GET', `${path}?revision=${revisionOf(edited)}`)), edited)

    const stale = '# Covered\n\nBy hand, from a window left open.\n'
    saveByRename(workroom.at('documents/covered.md'), stale)
    await workroom.waitForEvents(id, 4)
    t.same(
      (await workroom.revisions(path)).slice(1).map(({ revision }) => revision),
      [edited, mine, stale].map(revisionOf),
    )
  },
)

for (const [call, save] of Object.entries({ linkSync: saveByRename, renameSync: saveInPlace })) {
  t.test(`a save just before our ${call} becomes a revision before ours`, { buffered: true }, async (t) => {
    const title = `Gap ${call.toLowerCase()}`
    const { id, path, filename } = await workroom.put(title)
    const edited = `# ${title}\n\nSaved in the gap.\n`
    const mine = `# ${title}\n\nMine.\n`
    gaps.set(`${call} ${filename}`, () => save(workroom.at(`documents/${filename}`), edited))
    t.equal((await workroom.request('PUT', path, { body: mine })).status, 201)
    t.notOk(gaps.has(`${call} ${filename}`), 'the save happened')
    t.equal(readFileSync(workroom.at(`documents/${filename}`), 'utf8'), mine)
    await workroom.eventually(async () => (await workroom.revisions(path)).length === 3)
    t.same(
      (await workroom.revisions(path)).slice(1).map(({ revision }) => revision),
      [revisionOf(edited), revisionOf(mine)],
    )
    t.equal(bodyOf(await workroom.request('GET', `${path}?revision=${revisionOf(edited)}`)), edited)
    await workroom.scan()
    t.equal(bodyOf(await workroom.request('GET', path)), mine)
    t.equal(workroom.events(id).filter(({ via }) => via === 'api').length, 2)
  })
}

t.test('a PUT logs one event by its author, and its echo logs none', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Echo')
  for (let round = 1; round <= 5; round++) {
    await workroom.request('PUT', path, { body: `# Echo\n\nRound ${round}.\n`, key: bobsKey })
  }
  await workroom.scan()
  const events = workroom.events(id)
  t.equal(events.length, 6)
  t.ok(events.every(({ via }) => via === 'api'))
  t.equal((await workroom.revisions(path)).at(-1)!.author, 'Bob')
})

t.test('an edit right after a PUT is never lost', { buffered: true }, async (t) => {
  const { id, path } = await workroom.put('Heels')
  for (let round = 1; round <= 5; round++) {
    await workroom.request('PUT', path, { body: `# Heels\n\nMine ${round}.\n` })
    saveByRename(workroom.at('documents/heels.md'), `# Heels\n\nHand ${round}.\n`)
    const events = await workroom.waitForEvents(id, 2 * round + 1)
    t.match(events.at(-1), { via: 'disk', type: 'doc.write' })
  }
  await workroom.scan()
  t.equal(workroom.events(id).length, 11)
  t.equal(bodyOf(await workroom.request('GET', path)), '# Heels\n\nHand 5.\n')
})

t.test('an edit that restores the bytes from before a PUT is an edit', { buffered: true }, async (t) => {
  const { id, path, revision } = await workroom.put('Undone')
  await workroom.request('PUT', path, { body: '# Undone\n\nMine.\n' })
  saveByRename(workroom.at('documents/undone.md'), '# Undone\n\nText.\n')
  await workroom.waitForEvents(id, 3)
  t.equal((await workroom.request('GET', path)).headers.etag, `"${revision}"`)
  t.equal((await workroom.revisions(path)).length, 3)
})
