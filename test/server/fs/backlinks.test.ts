import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import type { Backlink, LinkView } from '../../../core/links/types.ts'
import { databasePath } from '../../../data/home.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { startWorkroom } from '../../support/workroom.ts'

const disk = breakableDisk()
const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs } } })
const { request, clock, owner, home } = workroom
const general = '/v1/fs/projects/general'
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const keyWith = async (...scopes: string[]) =>
  (await workroom.workspace.stores.members.addKey(bot.member.id, { scopes })).key

interface File {
  id: string
  path: string
  url: string
}

const succeed = async (method: string, path: string, options = {}) => {
  const response = await request(method, path, options)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.json
}
/** Writes a file, a moment after the previous one. */
const put = (folder: string, title: string, text = '', key = owner.key): Promise<File> => {
  clock.advance(1000)
  const name = encodeURIComponent(title.toLowerCase().replaceAll(' ', '-'))
  return succeed('PUT', `${folder}/${name}.md`, { body: `# ${title}\n\n${text}\n`, key })
}
const links = async (file: File, key = owner.key): Promise<LinkView[]> =>
  (await succeed('GET', `${file.path}/_links`, { key })).links
const backlinks = async (file: File, key = owner.key): Promise<Backlink[]> =>
  (await succeed('GET', `${file.path}/_backlinks`, { key })).backlinks
const titlesOf = async (file: File, key?: string) => (await backlinks(file, key)).map(({ title }) => title)
/** For each link of a file, whether it is alive, and its target. */
const stateOf = async (file: File, key?: string) =>
  (await links(file, key)).map(({ token, title, isDead }) => [token, isDead ? 'dead' : 'alive', title])

const plan = await put(`${general}/docs`, 'The plan', '## Goals\n\nText.')
const post = await put(`${general}/posts`, 'News', 'Text.')
const card = await put(`${general}/board/todo`, 'Fix it', 'Text.')

t.test('a document, a post and a card list what links to them, the most recently edited first', async (t) => {
  const text = `See [[n:${plan.id}]] first.\n\nThen [[p:${post.id}]], [[c:1]] and [[the  PLAN#Goals|our aims]].`
  const one = await put(`${general}/docs`, 'One', text)
  const two = await put(`${general}/posts`, 'Two', `About [[c:0001]], [plan](../docs/the-plan.md#goals).`)
  t.strictSame(await succeed('GET', `${plan.path}/_backlinks`), {
    document: { id: plan.id, title: 'The plan', path: plan.path },
    backlinks: [
      {
        id: two.id,
        docType: 'post',
        title: 'Two',
        path: two.path,
        url: two.url,
        anchor: 'goals',
        context: 'About [[c:0001]], plan.',
      },
      {
        id: one.id,
        docType: 'note',
        title: 'One',
        path: one.path,
        url: one.url,
        anchor: null,
        context: `See [[n:${plan.id}]] first.`,
      },
      {
        id: one.id,
        docType: 'note',
        title: 'One',
        path: one.path,
        url: one.url,
        anchor: 'Goals',
        context: `Then [[p:${post.id}]], [[c:1]] and [[the  PLAN#Goals|our aims]].`,
      },
    ],
  })
  t.strictSame(await titlesOf(post), ['One'])
  t.strictSame(await titlesOf(card), ['Two', 'One'])
  await put(`${general}/docs`, 'One', `Now only [[c:1]], twice: [[c:1]]. And itself: [[One]].`)
  t.strictSame(
    [await titlesOf(plan), await titlesOf(post), await titlesOf(card)],
    [['Two'], [], ['One', 'Two']],
  )
  t.strictSame(await titlesOf(one), [])
  const library = `${general}/library/documents/one.md`
  for (const path of [`${library}/_backlinks`, `${library}/_links`]) {
    t.equal((await request('HEAD', path)).status, 200)
    const { status, headers } = await request('PUT', path, { body: '# X\n' })
    t.strictSame([status, headers.allow], [405, 'GET, HEAD'])
  }
  for (const call of ['_links', '_backlinks'])
    t.match((await request('GET', `${general}/docs/nothing.md/${call}`)).json, { error: 'not_found' })
})

t.test(
  'a backlink shows the text around the link as it is now, also when it is asked for again',
  async (t) => {
    const target = await put(`${general}/docs`, 'Target of contexts')
    const contexts = async (): Promise<string[]> =>
      (await succeed('GET', `${target.path}/_backlinks`)).backlinks.map(({ context }: Backlink) => context)
    const text = (before: string) => `${before} [[Target of contexts]].`
    await put(`${general}/docs`, 'Source of contexts', text('See'))
    for (const before of ['See', 'Read', 'See']) {
      await put(`${general}/docs`, 'Source of contexts', text(before))
      t.strictSame(await contexts(), [text(before)])
      t.strictSame(await contexts(), [text(before)], 'again')
    }
  },
)

t.test('the links of a file show where they lead now', async (t) => {
  const block = (await succeed('GET', `${plan.path}?view=blocks`)).blocks.at(-1).id
  const source = await put(
    `${general}/board/todo`,
    'Source',
    `![[The plan#^${block}|shown]] [[The plan#^k0000000]] [[the-plan#goals]] [[News#Nothing]] [[c:99]] [[pr:7]] [[Gone]]
[a](../../documents/the-plan.md) [b](../02-todo/0001-renamed-since.md) [c](${plan.path}) [d](../../../../etc.md) [e](/etc.md)`,
  )
  const found = await links(source)
  t.strictSame(found[0], {
    token: `![[The plan#^${block}|shown]]`,
    type: 'document',
    id: plan.id,
    title: 'The plan',
    path: plan.path,
    url: plan.url,
    anchor: `^${block}`,
    label: 'shown',
    isEmbed: true,
    isDead: false,
  })
  t.strictSame(
    found.slice(1).map(({ type, title, anchor, isDead }) => [type, title, anchor, isDead]),
    [
      ['document', 'The plan', '^k0000000', true],
      ['document', 'The plan', 'goals', false],
      ['post', 'News', 'Nothing', true],
      [null, null, null, true],
      [null, null, null, true],
      [null, null, null, true],
      ['document', 'The plan', null, false],
      ['card', 'Fix it', null, false],
      ['document', 'The plan', null, false],
      [null, null, null, true],
      [null, null, null, true],
    ],
  )
  t.match(
    (await backlinks(plan)).filter(({ id }) => id === source.id).map(({ anchor }) => anchor),
    [`^${block}`, '^k0000000', 'goals', null],
  )
  t.match(await titlesOf(card), ['Source'])
})

t.test('a new title keeps a link by id alive, and breaks one by title or path', async (t) => {
  const target = await put(`${general}/docs`, 'Old name', '## Part')
  const source = await put(
    `${general}/docs`,
    'Renaming',
    `[[n:${target.id}]] [[Old name]] [x](old-name.md) [[n:${target.id}#part]]`,
  )
  const states = async () => (await stateOf(source)).map(([, state]) => state)
  t.strictSame(await states(), ['alive', 'alive', 'alive', 'alive'])
  await succeed('PUT', target.path, { body: '# New name\n\n## Another part\n' })
  t.strictSame(await states(), ['alive', 'dead', 'dead', 'dead'])
  const renamed = { ...target, path: `${general}/docs/new-name.md` }
  t.strictSame(
    (await backlinks(renamed)).map(({ anchor }) => anchor),
    [null, 'part'],
  )
  await put(`${general}/docs`, 'Old name', 'Another with the name.')
  t.strictSame(await states(), ['alive', 'alive', 'alive', 'dead'])
})

t.test(
  'among files of the same title, documents come before posts and cards, and the newest comes first',
  async (t) => {
    const source = await put(`${general}/docs`, 'Asking', '[[Twin]]')
    const means = async () => (await links(source))[0]!.id
    const inOrder = []
    for (const folder of ['board/todo', 'posts', 'posts', 'docs', 'docs']) {
      clock.advance(1000)
      const body = { body: '# Twin\n\nText.\n', headers: { 'If-None-Match': '*' } }
      const twin = await succeed('PUT', `${general}/${folder}/twin-${inOrder.length}.md`, body)
      inOrder.push(twin)
      t.equal(await means(), twin.id, folder)
    }
    for (const twin of inOrder) t.equal((await titlesOf(twin)).length, twin === inOrder.at(-1) ? 1 : 0)
  },
)

t.test('a link inside a project finds its cards and titles, a link by id finds any project', async (t) => {
  await succeed('POST', '/v1/fs/projects', { body: { name: 'Hidden' } })
  const hidden = '/v1/fs/projects/hidden'
  const secret = await put(`${hidden}/docs`, 'Secret', `[[c:1]] [[The plan]] [[n:${plan.id}]]`)
  t.strictSame(
    (await links(secret)).map(({ isDead }) => isDead),
    [true, true, false],
  )
  t.notOk((await titlesOf(card)).includes('Secret'))
  t.ok((await titlesOf(plan)).includes('Secret'))
  t.notOk(
    (await titlesOf(plan, grace.key)).includes('Secret'),
    'somebody outside of the project learns nothing of it',
  )
  const source = await put(`${general}/docs`, 'Revealing', `[[n:${secret.id}]] [x](${secret.path})`)
  t.strictSame(
    (await links(source, grace.key)).map(({ id, title, isDead }) => [id, title, isDead]),
    [
      [null, null, true],
      [null, null, true],
    ],
  )
  t.strictSame(
    (await links(source)).map(({ isDead }) => isDead),
    [false, false],
  )
  t.match((await request('GET', `${plan.path}/_backlinks`, { key: stranger.key })).json, {
    error: 'forbidden',
  })
})

t.test('a draft that links is shown to its author alone until it is published', async (t) => {
  const target = await put(`${general}/docs`, 'Awaited')
  const draft = await put(`${general}/drafts`, 'Draft', `[[n:${target.id}]] [[Own thoughts]]`, grace.key)
  const own = await put(`${general}/drafts`, 'Own thoughts', `[[p:${draft.id}]]`, grace.key)
  t.strictSame([await titlesOf(target), await titlesOf(target, grace.key)], [[], ['Draft']])
  t.strictSame(await titlesOf(draft, grace.key), ['Own thoughts'])
  t.equal((await request('GET', `${draft.path}/_backlinks`)).status, 404)
  t.equal((await request('GET', `${draft.path}/_links`)).status, 404)
  t.strictSame(
    (await links(own, grace.key)).map(({ isDead }) => isDead),
    [false],
  )
  const source = await put(`${general}/docs`, 'Impatient', `[[p:${draft.id}]] [[Draft]]`)
  t.strictSame(
    (await links(source)).map(({ title }) => title),
    [null, null],
  )
  await succeed('POST', `${draft.path}/_publish`, { key: grace.key })
  t.strictSame(await titlesOf(target), ['Draft'])
  t.strictSame(
    (await links(source)).map(({ title }) => title),
    ['Draft', 'Draft'],
  )
})

t.test('what a key may not read is neither listed nor alive', async (t) => {
  const key = await keyWith('documents:read')
  const target = await put(`${general}/docs`, 'Scoped')
  const source = await put(`${general}/docs`, 'Scoped source', `[[c:1]] [[n:${target.id}]]`)
  await put(`${general}/board/todo`, 'Scoped card', `[[n:${target.id}]]`)
  t.strictSame(
    [await titlesOf(target), await titlesOf(target, key)],
    [['Scoped card', 'Scoped source'], ['Scoped source']],
  )
  t.strictSame(
    (await links(source, key)).map(({ isDead }) => isDead),
    [true, false],
  )
  for (const [file, scope] of [
    [plan, 'documents:read'],
    [post, 'posts:read'],
    [card, 'cards:read'],
  ] as const) {
    const others = await keyWith(...agentScopes.filter((other) => other !== scope))
    for (const call of ['_links', '_backlinks'])
      t.match((await request('GET', `${file.path}/${call}`, { key: others })).json, { message: scope })
  }
})

t.test(
  'links disappear with a deleted file, and return with it; a link to a deleted file is dead',
  async (t) => {
    const target = await put(`${general}/docs`, 'Lasting')
    const source = await put(`${general}/docs`, 'Coming and going', `[[n:${target.id}]]`)
    const removed = await succeed('DELETE', source.path)
    t.strictSame(await titlesOf(target), [])
    await succeed('POST', `${general}/trash/${removed.id}/_restore`)
    t.strictSame(await titlesOf(target), ['Coming and going'])
    await succeed('DELETE', target.path)
    t.strictSame(
      (await links(source)).map(({ title, isDead }) => [title, isDead]),
      [[null, true]],
    )
    await succeed('POST', `${general}/trash/${target.id}/_restore`)
    t.strictSame(
      (await links(source)).map(({ title, isDead }) => [title, isDead]),
      [['Lasting', false]],
    )
  },
)

t.test('a file that was added on the disk links too, and its paths are relative to its folder', async (t) => {
  const documents = join(home, 'projects/general/documents')
  writeFileSync(join(documents, 'by-hand.md'), `# By hand\n\n[[n:${plan.id}]] [x](the-plan.md)\n`)
  const file = { ...plan, path: `${general}/docs/by-hand.md` }
  t.strictSame(
    (await links(file)).map(({ isDead }) => isDead),
    [false, false],
  )
  t.ok((await titlesOf(plan)).includes('By hand'))
  await succeed('PUT', `${general}/docs/sub/other.md`, { body: '# Other\n' })
  renameSync(join(documents, 'by-hand.md'), join(documents, 'sub/by-hand.md'))
  const moved = { ...plan, path: `${general}/docs/sub/by-hand.md` }
  t.strictSame(
    (await links(moved)).map(({ isDead }) => isDead),
    [false, true],
  )
})

t.test('of many documents that link to one, the hundred edited last are listed', async (t) => {
  const hub = await put(`${general}/docs`, 'Hub')
  const folder = join(home, 'projects/general/documents/spokes')
  mkdirSync(folder)
  for (let number = 0; number < 1100; number++) {
    writeFileSync(join(folder, `${number}.md`), `# Spoke ${number}\n\nSee [[Hub]].\n`)
  }
  await workroom.eventually(async () => {
    const { documents } = await succeed('GET', `${general}/docs/spokes`)
    return documents.length === 1100
  })
  for (const number of [0, 1099, 550]) {
    clock.advance(1000)
    const body = `# Spoke ${number}\n\nSee [[Hub]] again.\n`
    await succeed('PUT', `${general}/docs/spokes/${number}.md`, { body })
  }
  const found = await backlinks(hub)
  t.equal(found.length, 100)
  t.strictSame(
    found.slice(0, 3).map(({ title, context }) => [title, context]),
    [550, 1099, 0].map((number) => [`Spoke ${number}`, 'See [[Hub]] again.']),
  )
  t.equal(new Set(found.map(({ id }) => id)).size, 100)
})

t.test('a write that fails on the disk leaves the previous links', async (t) => {
  const target = await put(`${general}/docs`, 'Steady')
  const source = await put(`${general}/docs`, 'Unlucky', `[[n:${target.id}]]`)
  for (const call of ['linkSync', 'renameSync'] as const) disk.fail(call, 'EIO')
  const changed = await request('PUT', source.path, { body: '# Unlucky\n\nNothing.\n' })
  const added = await request('PUT', `${general}/docs/never.md`, { body: `# Never\n\n[[n:${target.id}]]\n` })
  disk.mend()
  t.strictSame([changed.status, added.status], [503, 503])
  await workroom.eventually(async () => (await links(source)).length === 1)
  t.strictSame(await titlesOf(target), ['Unlucky'])
})

t.test('a database without stored links has them soon after the start', async (t) => {
  const found = async () => (await succeed('GET', '/v1/search?q=twice')).results.length
  const state = async () => [await titlesOf(plan), await titlesOf(card), await found()]
  const before = await state()
  await workroom.restart(() => {
    const db = new Sqlite(databasePath(home))
    db.exec('DELETE FROM links; DELETE FROM search_text; DELETE FROM search_entries')
    db.close()
  })
  await workroom.eventually(async () => isDeepStrictEqual(await state(), before))
  t.strictSame(await state(), before)
})
