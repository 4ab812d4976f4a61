import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Scope } from '../../../core/access/member.ts'
import type { NameMatch } from '../../../core/search/name-match.ts'
import type { Actor } from '../../support/chat.ts'
import { makeRepository } from '../../support/code-repository.ts'
import { sampleActions } from '../../support/sample-actions.ts'
import { openSample } from '../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { uploadForm } from '../../support/upload-form.ts'

const sample = await openSample(t)
const { people, workspace, home } = sample
const { ada, linus, mira } = people
const sam = await sample.addMember({ name: 'Sam', type: 'human' })
const { send, writeDocument } = sampleActions(sample)
/** The folder that repositories may be linked from. */
const code = join(t.testdirName, 'code')
const [asAda, asLinus, asMira, asSam] = await Promise.all(
  [ada, linus, mira, sam].map(({ key }) => new ScriptlessBrowser(sample).signIn(key)),
)

const upload = async (actor: Actor, name: string, project = 'harbour') =>
  send(
    actor,
    'POST',
    `/v1/fs/projects/${project}/library/files`,
    undefined,
    await uploadForm(['file', 'bytes', name]),
  )
const attach = async (actor: Actor, path: string, name: string): Promise<string> =>
  (await send(actor, 'POST', `${path}/attachments`, undefined, await uploadForm(['file', 'bytes', name]))).id
const ask = async (actor: Actor, title: string, fields = {}): Promise<string> =>
  (await send(actor, 'POST', '/api/asks', { project: 'harbour', title, ...fields })).askId

/** The matches by name that `/search` lists, in its order. */
async function named(query: string, more = '', browser = asLinus!) {
  const { status, text } = await browser.open(`/search?q=${encodeURIComponent(query)}${more}`)
  if (status !== 200) throw new Error(`${query.slice(0, 40)}: ${status} ${text}`)
  const section = /<section aria-labelledby="by-name">[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
  const rows = section.matchAll(/<a href="([^"]+)"><bdi>(.*?)<\/bdi><\/a> <span class="tag">([^<]+)</g)
  return [...rows].map(([, page = '', title = '', kind]) => ({
    kind,
    title,
    page,
  }))
}
const titles = async (...asked: Parameters<typeof named>) => (await named(...asked)).map(({ title }) => title)

/** The names that the finder of a page gets. */
async function offered(query: string, browser = asLinus!): Promise<(NameMatch & { kind: string })[]> {
  const path = `/navigation/names?q=${encodeURIComponent(query)}`
  const { status, text } = await browser.open(path, { Accept: 'application/json' })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text).named
}

t.test('everything that has a name is found by it, and the result opens its page', async (t) => {
  await send(linus, 'POST', '/api/rooms', { name: 'Quoll watch', type: 'open' })
  await send(ada, 'POST', '/v1/fs/projects', { name: 'Quoll project' })
  const project = workspace.stores.projects.find('quoll-project')!
  await workspace.stores.projects.join(project, linus.member, 'member')
  const person = await sample.addMember({ name: 'Quentin Quoll', type: 'human' }, 'harbour')
  const agent = await sample.addMember({ name: 'Quoll bot', type: 'agent' })
  const open = await ask(mira, 'Count the quoll')
  const done = await ask(mira, 'Feed every quoll')
  await send(linus, 'POST', `/api/asks/${done}/claim`)
  await send(linus, 'POST', `/api/asks/${done}/resolve`, { resolution: 'Fed.' })
  const reports = join(home, 'projects/harbour/files/reports')
  mkdirSync(reports, { recursive: true })
  writeFileSync(join(reports, 'quoll 2026.csv'), 'bytes')
  const post = await writeDocument(
    ada,
    'drafts/nocturnal-animals.md',
    '# Nocturnal animals\n\nOf the night.\n',
  )
  const attached = await attach(ada, post.path, 'quoll.png')
  await send(ada, 'POST', `${post.path}/_publish`)
  const files = { 'SKILL.md': '---\nname: count-quoll\ndescription: Counts.\n---\n\nCount.\n' }
  const skill = { project: 'harbour', name: 'count-quoll', files }
  await send(linus, 'POST', '/v1/skills', { ...skill, expectedVersion: 0, expectedDraftRevision: 0 })
  const { path: source } = makeRepository(join(code, 'marsupials.git'), { 'README.md': '# Quoll code\n' })
  await send(ada, 'POST', '/v1/projects/harbour/repositories', { dir: 'quoll-code', source })
  await asLinus!.open('/projects/harbour/pulls')

  const found = await named('quoll')
  const byKind = (kind: string) => found.filter((one) => one.kind === kind)
  t.match(byKind('room'), [{ title: 'Quoll watch', page: '/rooms/quoll-watch' }])
  t.match(byKind('project'), [{ title: 'Quoll project', page: '/projects/quoll-project' }])
  t.match(byKind('person'), [{ title: 'Quentin Quoll', page: `/members/${person.member.id}` }])
  t.match(byKind('agent'), [{ title: 'Quoll bot', page: `/members/${agent.member.id}` }])
  t.equal(found.length, 10, 'ten names are shown above the texts')
  t.strictSame(
    found.slice(0, 6).map(({ title }) => title),
    ['quoll 2026.csv', 'Quoll bot', 'quoll-code', 'Quoll project', 'Quoll watch', 'quoll.png'].sort(
      new Intl.Collator('en', { numeric: true }).compare,
    ),
    'names that begin with the query come first',
  )
  const ofKind: [kind: string, title: string, page: string][] = [
    ['room', 'Quoll watch', '/rooms/quoll-watch'],
    ['project', 'Quoll project', '/projects/quoll-project'],
    ['person', 'Quentin Quoll', `/members/${person.member.id}`],
    ['agent', 'Quoll bot', `/members/${agent.member.id}`],
    ['ask', 'Count the quoll', `/projects/harbour/asks#${open}`],
    ['ask', 'Feed every quoll', `/projects/harbour/asks?over=all#${done}`],
    ['file', 'quoll 2026.csv', '/projects/harbour/files/reports/quoll%202026.csv'],
    ['skill', 'count-quoll', '/projects/harbour/skills/count-quoll'],
    ['repository', 'quoll-code', '/projects/harbour/repositories/quoll-code'],
  ]
  for (const [kind, title, page] of ofKind) {
    const row = (await named('QUOLL', `&type=${kind}`)).find((one) => one.title === title)
    t.match(row, { page }, `${kind} ${title}`)
  }
  const [picture] = await named('quoll png')
  t.match(picture, { kind: 'file', title: 'quoll.png' })
  t.ok(picture!.page.endsWith(`#${attached}`), 'an attachment leads to its post')
  t.strictSame(await titles('old importer'), ['#28 Remove the old importer'])
  for (const number of ['#28', '28'])
    t.match(await named(number, '&type=pull'), [{ kind: 'pull request', page: '/projects/harbour/pulls/28' }])

  for (const { page, title } of [...found, ...(await named('importer')), ...(await named('feed quoll'))]) {
    const response = await asLinus!.open(page.split('#')[0]!)
    t.equal(response.status, 200, page)
    const fragment = page.split('#')[1]
    if (fragment !== undefined) t.match(response.text, `id="${fragment}"`, page)
    const isFile = page.includes('/files/')
    t.ok(isFile ? response.text === 'bytes' : response.text.includes(title.replace(/^#\d+ /, '')), page)
  }
  t.match(await offered('quoll watch'), [{ kind: 'Room', title: 'Quoll watch', page: '/rooms/quoll-watch' }])
})

t.test('names match in any order of words, case, accents and Unicode normal form', async (t) => {
  await ask(mira, 'Crème brûlée for the crew')
  for (const query of ['crew CREME', 'cre\u0300me', 'Crème  brûlée\tfor', 'brulee'])
    t.strictSame(await titles(query), ['Crème brûlée for the crew'], query)
  t.strictSame(await titles('creme crew tea'), [])
})

t.test('search by name finds nothing that its reader may not see', async (t) => {
  const draft = await writeDocument(linus, 'drafts/kept.md', '# Kept\n\nNothing.\n')
  await attach(linus, draft.path, 'numbat.txt')
  t.strictSame(await titles('numbat'), ['numbat.txt'])
  const [own] = await named('numbat')
  t.match((await asLinus!.open(own!.page.split('#')[0]!)).text, 'numbat.txt')
  for (const browser of [asAda!, asMira!]) {
    t.strictSame(await titles('numbat', '', browser), [], 'attachments of another’s draft are not found')
    t.strictSame(await offered('numbat', browser), [])
  }
  await ask(mira, 'A numbat ask')
  await upload(mira, 'numbat.csv')
  await send(mira, 'POST', '/api/rooms', { name: 'Numbat den', type: 'closed' })
  await send(mira, 'POST', '/api/rooms', { name: 'Numbat hall', type: 'open', projectId: 'harbour' })
  await send(mira, 'POST', '/api/rooms', { name: 'Numbat café', type: 'open' })
  const all = ['A numbat ask', 'Numbat café', 'Numbat den', 'Numbat hall', 'numbat.csv']
  t.strictSame((await titles('numbat', '', asMira!)).sort(), all)
  t.strictSame((await titles('numbat')).sort(), [
    ...all.filter((title) => title !== 'Numbat den'),
    'numbat.txt',
  ])
  t.strictSame(await titles('numbat', '', asSam!), ['Numbat café'], 'not a member of the project')
  for (const word of ['quoll', 'harbour', 'importer', 'berths', 'release-notes', '#28', '28'])
    t.notOk(
      (await named(word, '', asSam!)).some(({ page }) => /^\/(?:projects|rooms\/release)/.test(page)),
      word,
    )
  t.equal((await asSam!.open('/search?q=numbat&project=harbour')).status, 403)
  t.strictSame(
    (await offered('numbat', asSam!)).map(({ title }) => title),
    ['Numbat café'],
  )
})

t.test('a key with few scopes finds only what they let it read', async (t) => {
  const found = async (...scopes: Scope[]) => {
    const { key } = await workspace.stores.members.addKey(people.scout.member.id, { scopes })
    const caller = workspace.stores.members.authenticate(key)!
    const { named } = await workspace.search.names.find(caller, { query: 'quoll', limit: 50 })
    return named.filter(({ kind }) => kind !== 'person' && kind !== 'agent').map(({ title }) => title)
  }
  t.strictSame(await found('asks:read'), ['Count the quoll', 'Feed every quoll'])
  t.strictSame(await found('documents:read'), ['quoll 2026.csv'])
  t.strictSame(await found('posts:read'), ['quoll.png'])
  t.strictSame(await found('rooms:read'), ['Quoll watch'])
  t.strictSame(await found('projects:read'), ['quoll-code', 'count-quoll'])
})

t.test('a search can be limited to a project or a kind', async (t) => {
  const [inHarbour, inGeneral] = ['harbour', 'general']
  await upload(ada, 'dingo.txt', inHarbour)
  await upload(ada, 'dingo.md', inGeneral)
  await send(ada, 'POST', '/api/rooms', { name: 'Dingo', type: 'open' })
  t.strictSame(await titles('dingo'), ['Dingo', 'dingo.md', 'dingo.txt'])
  t.strictSame(await titles('dingo', `&project=${inHarbour}`), ['dingo.txt'])
  t.strictSame(await titles('dingo', '&type=room'), ['Dingo'])
  t.strictSame(await titles('dingo', '&type=post'), [], 'posts are found by their text alone')
  t.strictSame(await titles('mira', '&project=harbour'), ['Mira Okafor'])
  t.strictSame(await titles('sam', '&project=harbour'), [], 'Sam is not in the project')
  const page = async (query: string) => (await asLinus!.open(`/search?${query}`)).text
  t.match(await page(''), 'pull requests, repositories and skills')
  t.match(await page('q=dingo'), 'No text contains all of these words.')
  t.match(await page('q=zeppelin'), 'No results for these words.')
  t.match(await page('q=zeppelin&type=ask'), 'Nothing of this kind has all of these words in its name')
  t.match(await page('q=tide'), /<h2 id="by-name">[\s\S]*<h2 id="in-texts">/)
  t.notMatch(await page('q=dingo&type=room'), /id="in-texts"/)
  t.match(await page('q=dingo&type=file'), /<option value="file" selected>/)
  t.equal((await asLinus!.open('/search?q=dingo&type=nothing')).status, 400)
})

t.test('no character of a query has a special meaning', async (t) => {
  const strange = ['100% done', 'a_b \\ c', `say "hello" & 'bye'`, '<b>bold</b> {x} [y] (z)', 'party 🎉 time']
  for (const title of strange) await ask(mira, title)
  const typed: [query: string, title: string][] = [
    ['%', '100% done'],
    ['_', 'a_b \\ c'],
    ['\\', 'a_b \\ c'],
    ['"hello"', `say "hello" & 'bye'`],
    ["'bye'", `say "hello" & 'bye'`],
    ['</b>', '<b>bold</b> {x} [y] (z)'],
    ['[y] (z)', '<b>bold</b> {x} [y] (z)'],
    ['🎉', 'party 🎉 time'],
  ]
  for (const [query, title] of typed) {
    t.strictSame(
      (await offered(query)).map((one) => one.title),
      [title],
      query,
    )
    t.equal((await named(query, '&type=ask')).length, 1, query)
  }
  for (const query of ['%%', '100_ done', '.*', "' OR 1=1 --", '\u0301', '\0', 'x'.repeat(400)])
    t.strictSame(await offered(query), [], JSON.stringify(query.slice(0, 20)))
  const refused = async (query: string) =>
    (await asLinus!.open(`/navigation/names?q=${query}`, { Accept: 'application/json' })).status
  t.equal(await refused('x'.repeat(401)), 400)
  t.equal(await refused('%20'), 400)
  t.equal(await refused(''), 400)
  t.equal(await refused('a&q=b'), 400)
})

t.test('a filter narrows the texts that are found, and one that names nothing is explained', async (t) => {
  const search = async (query: string) => (await asAda!.open(`/search?q=${encodeURIComponent(query)}`)).text
  const day = (days: number) => new Date(sample.clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const found = (text: string) => [...text.matchAll(/<li id="found-\w+">[\s\S]*?<\/li>/g)].map(([row]) => row)
  const files = found(await search('has:file in:founders'))
  t.equal(files.length, 1)
  t.match(files[0], 'Drawings of the new pier')
  t.equal(found(await search(`in:founders before:${day(2)}`)).length, 2)
  t.equal(found(await search(`in:founders before:${day(-30)}`)).length, 0)
  const refused = await search('pier from:nobody')
  t.match(refused, /role="alert"[^>]*>[\s\S]*from:nobody names no member/)
  t.match(refused, 'value="pier from:nobody"')
})

t.test('results are limited in number, and the page says that there are more', async (t) => {
  const folder = join(home, 'projects/general/files/many')
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < 2100; n++) writeFileSync(join(folder, `bandicoot ${n}.txt`), '')
  await upload(ada, 'last bandicoot.txt')
  const { text } = await asAda!.open('/search?q=bandicoot')
  t.match(text, 'The first 10')
  t.notMatch(text, 'Not all projects or files', 'all names of files are indexed')
  t.strictSame(await titles('last bandicoot', '', asAda!), ['last bandicoot.txt'])
  t.strictSame(await titles('bandicoot 2099', '', asAda!), ['bandicoot 2099.txt'])
  const ofProject = await asAda!.open('/search?q=bandicoot&project=general&type=file')
  t.match(ofProject.text, 'The first 50')
  t.strictSame(
    (await offered('bandicoot', asAda!)).map(({ title }) => title),
    [0, 1, 2, 3, 4, 5].map((n) => `bandicoot ${n}.txt`),
    'numbers in their order',
  )
  t.equal((await workspace.search.names.find(callerOf(ada), { query: 'a', limit: 1000 })).named.length, 50)
})

t.test('only pages of a signed-in member can ask for names', async (t) => {
  const path = '/navigation/names?q=harbour'
  const nobody = new ScriptlessBrowser(sample)
  t.equal((await nobody.open(path, { Accept: 'application/json' })).status, 401)
  t.equal((await nobody.open(path)).status, 303)
  t.equal((await sample.request('GET', path)).status, 401, 'a key cannot')
  const { headers } = await asLinus!.open(path)
  t.match(headers, { 'cache-control': 'no-store', 'content-type': /^application\/json/ })
  t.match(await offered('inb'), [{ kind: 'Page', title: 'Inbox', page: '/inbox' }])
  t.strictSame(
    (await offered('usage')).map(({ page }) => page),
    [],
  )
  t.match(await offered('usage', asAda!), [{ page: '/usage' }])
})

const callerOf = ({ key }: Actor) => workspace.stores.members.authenticate(key)!
