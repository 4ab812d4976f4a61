import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { RefListItem } from '../../../core/links/types.ts'
import { databasePath } from '../../../data/home.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, owner } = workroom
const general = '/v1/fs/projects/general'
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })

const put = async (folder: string, title: string, key = owner.key) => {
  clock.advance(1000)
  const response = await request('PUT', `${general}/${folder}/x-${clock.now()}.md`, {
    body: `# ${title}\n`,
    key,
  })
  if (response.status !== 201) throw new Error(response.text)
  return response.json
}
const refs = (q: string, key = owner.key) =>
  request('GET', `${general}/refs?q=${encodeURIComponent(q)}`, { key })
const found = async (q: string, key = owner.key): Promise<string[]> =>
  (await refs(q, key)).json.refs.map(({ title, token }: RefListItem) => `${title} ${token}`)
const titles = async (q: string): Promise<string[]> =>
  (await refs(q)).json.refs.map(({ title }: RefListItem) => title)

const keyWith = async (...scopes: string[]) =>
  (await workroom.workspace.stores.members.addKey(bot.member.id, { scopes })).key

const doc = await put('docs', 'Café plan')
const post = await put('posts', 'The café opens')
const card = await put('board/todo', 'CAFE')
await put('drafts', 'Café draft')

t.test('outside of a project, a search finds everything the caller may read, and links by id', async (t) => {
  const found = (key: string) =>
    new ScriptlessBrowser(workroom)
      .signIn(key)
      .then((browser) => browser.open('/navigation/refs?q=cafe'))
      .then(({ json }) => json.refs.map(({ token }: RefListItem) => token))
  t.strictSame(await found(owner.key), [`[[n:${card.id}]]`, `[[n:${doc.id}]]`, `[[p:${post.id}]]`])
  t.strictSame(await found(stranger.key), [])
})

t.test('an exact title comes first, then a title that begins with the words, then the others', async (t) => {
  const { status, json } = await refs('café')
  t.equal(status, 200)
  t.strictSame(json, {
    query: 'café',
    refs: [
      { token: '[[c:1]]', type: 'card', id: card.id, title: 'CAFE', path: card.path, url: card.url },
      {
        token: `[[n:${doc.id}]]`,
        type: 'document',
        id: doc.id,
        title: 'Café plan',
        path: doc.path,
        url: doc.url,
      },
      {
        token: `[[p:${post.id}]]`,
        type: 'post',
        id: post.id,
        title: 'The café opens',
        path: post.path,
        url: post.url,
      },
    ],
  })
  for (const q of ['opens caf', ' Café  OPEN', 'the-cafe', 'cafe\u0301 opens'])
    t.ok((await titles(q)).includes('The café opens'), q)
  for (const q of ['afé', 'draft', '!!!', 'café closes']) t.strictSame(await titles(q), [], q)
})

t.test('a card is also found by its number', async (t) => {
  for (const q of ['1', '#1', '0001']) t.strictSame(await found(q), ['CAFE [[c:1]]'], q)
})

t.test('at most twenty are answered, and among equals those with the latest activity', async (t) => {
  for (let n = 10; n <= 31; n++) await put('docs', `Many ${n}`)
  const many = await titles('many')
  t.strictSame([many.length, many[0], many.at(-1)], [20, 'Many 31', 'Many 12'])
  t.equal((await titles('many 10'))[0], 'Many 10')
})

t.test('what a key may not read is left out', async (t) => {
  t.strictSame(await found('café', await keyWith('posts:read')), [`The café opens [[p:${post.id}]]`])
  t.strictSame(await found('café', await keyWith('rooms:read')), [])
})

t.test('a pull request of the project is found and linked with a key that may read it', async (t) => {
  const db = new Sqlite(databasePath(workroom.home))
  db.prepare(`
    INSERT INTO pull_requests (project_id, number, title, state, is_draft, head, base, head_commit, author, description,
      forge_url, updated_ms, checked_ms)
    VALUES (?, 7, 'Mend the wombat', 'open', 0, 'mend', 'main', 'abc', 'ada', '', '', 0, 0)`).run(
    workroom.workspace.stores.projects.find('general')!.id,
  )
  db.close()
  const pull = {
    type: 'pull',
    id: '7',
    title: 'Mend the wombat',
    path: `${general}/pulls/7`,
    url: `${workroom.url}/projects/general/pulls/7`,
  }
  for (const q of ['wombat', '#7'])
    t.strictSame((await refs(q)).json.refs, [{ token: '[[pr:7]]', ...pull }], q)
  const body = '# Linking\n\n[[pr:7|this]] [[pr:8]]\n'
  const { json } = await request('PUT', `${general}/docs/linking.md`, { body })
  const links = async (key = owner.key) => (await request('GET', `${json.path}/_links`, { key })).json.links
  const [alive, dead] = await links()
  t.match(alive, { token: '[[pr:7|this]]', ...pull, label: 'this', isDead: false })
  t.match(dead, { token: '[[pr:8]]', type: null, path: null, isDead: true })
  const key = await keyWith('documents:read')
  t.strictSame([await found('wombat', key), (await links(key))[0].isDead], [[], true])
})

t.test('an empty search is 422, and a project stays private', async (t) => {
  for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(401)}`]) {
    const { status, json } = await request('GET', `${general}/refs${query}`)
    t.match([status, json], [422, { error: 'unprocessable', message: '?q=' }], query.slice(0, 20))
  }
  t.equal((await request('GET', '/v1/fs/projects/nothing/refs?q=x')).status, 404)
  t.equal((await refs('x', stranger.key)).status, 403)
})
