import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const limits = { ...defaultConfig.limits, markdownBytes: 4096 }
const workroom = await startWorkroom(t, { config: { limits } })
const { owner, home, request } = workroom
await request('POST', '/v1/projects', { body: { name: 'Harbour' } })
await request('POST', '/v1/projects', { body: { name: 'Shut' } })
await request('PATCH', '/v1/projects/shut', { body: { archived: true } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'harbour')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const ada = await new ScriptlessBrowser(workroom).signIn(owner.key)
const graces = await new ScriptlessBrowser(workroom).signIn(grace.key)
const strangers = await new ScriptlessBrowser(workroom).signIn(stranger.key)
const tree = '/v1/fs/projects/harbour'
const project = '/projects/harbour'

const put = async (path: string, body: string, key = owner.key) => {
  const response = await request('PUT', `${tree}/${path}`, { key, body })
  if (response.status !== 201) throw new Error(response.text)
  return response.json as { id: string; path: string; url: string }
}
/** The data that a page hands to its script. */
const editorDetails = (page: string) =>
  JSON.parse(/data-editor="([^"]*)"/.exec(page)![1]!.replaceAll('&quot;', '"'))

await put('docs/x.md', '# Tides\n\nHigh water.\n')
await put('docs/guides/x.md', '# Setup\n')
await put('board/02-todo/x.md', '---\npriority: high\n---\n# Paint\n')
await put('drafts/x.md', '# Soon\n', grace.key)

t.test('the editor’s page tells its script which file to edit and which page to return to', async (t) => {
  const cases: [path: string, kind: string, file: string][] = [
    ['docs/tides', 'document', `${tree}/library/documents/tides.md`],
    ['docs/guides/setup', 'document', `${tree}/library/documents/guides/setup.md`],
    ['board/1', 'card', `${tree}/board/02-todo/0001-paint.md`],
  ]
  for (const [path, kind, file] of cases) {
    const { status, text } = await ada.open(`${project}/edit/${path}`)
    t.equal(status, 200, path)
    t.match(editorDetails(text), { kind, path: file, page: `${project}/${path}`, back: `${project}/${path}` })
    t.match(text, /<textarea readonly[^>]*>\n---\nid: doc_/)
  }
  const draft = await graces.open(`${project}/edit/drafts/soon`)
  t.equal(draft.status, 303, 'the page of the draft has another name')
  t.match((await graces.open(draft.headers.location!)).text, /data-do="publish"/)
})

t.test(
  'the policy allows the editor’s styles alone, by a nonce that is different on every page',
  async (t) => {
    const nonces = new Set<string>()
    for (const path of ['edit/docs/tides', 'edit/docs/tides', 'new?kind=card']) {
      const { headers, text } = await ada.open(`${project}/${path}`)
      const { nonce } = editorDetails(text)
      const policy = String(headers['content-security-policy'])
      t.match(policy, `style-src 'self' 'nonce-${nonce}';`)
      t.notMatch(policy, /unsafe/)
      nonces.add(nonce)
    }
    t.equal(nonces.size, 3)
    const other = await ada.open(`${project}/edit`)
    t.match(other.headers['content-security-policy'], "style-src 'self';")
  },
)

t.test('the editor’s page says why something cannot be edited, and where else to go', async (t) => {
  const post = await put('posts/x.md', '# Launched\n')
  writeFileSync(join(home, 'projects/harbour/documents/old.md'), Buffer.from('# Caf\xe9\n', 'latin1'))
  const cases: [path: string, status: number, words: RegExp][] = [
    ['shut/edit', 200, /This project is archived/],
    [
      `harbour/edit${new URL(post.url).pathname.slice(project.length)}`,
      200,
      /Published posts cannot be changed/,
    ],
    ['harbour/edit/docs/old', 200, /is not UTF-8/],
    ['shut/edit/docs/nothing', 404, /There is no document/],
    ['shut/new?kind=card', 200, /This project is archived/],
    ['harbour/edit/board/7', 404, /There is no card &quot;7&quot;/],
    ['harbour/edit/drafts/soon', 404, /There is no draft/],
    ['nowhere/new', 404, /nowhere/],
  ]
  for (const [path, status, words] of cases) {
    const response = await ada.open(`/projects/${path}`)
    t.equal(response.status, status, path)
    t.match(response.text, words)
  }
  t.equal((await strangers.open(`${project}/new`)).status, 403)
  t.equal((await strangers.open(`${project}/edit/docs/tides`)).status, 403)
  const out = await new ScriptlessBrowser(workroom).open(`${project}/new?kind=card`)
  t.match(out.headers.location, /^\/signin\?next=/)
})

t.test(
  'without script the source is shown, and the page says that the editor requires JavaScript',
  async (t) => {
    await put('docs/x.md', '# Plain\n\nAs it <stands>.\n')
    const { text } = await graces.open(`${project}/edit/docs/plain`)
    const [shown = ''] = /<noscript>[\s\S]*?<\/noscript>/.exec(text) ?? []
    t.match(shown, '<p class="notice">The editor requires JavaScript.')
    t.match(
      shown,
      /<textarea readonly aria-label="Source"[^>]*>[^<]*# Plain\n\nAs it &lt;stands&gt;\.\n<\/textarea>/,
    )
    const hidden = text.replace(shown, '').match(/<div class="(?:buttons|editor-tools|editor-views)"[^>]*>/g)
    t.ok(
      hidden!.every((tag) => tag.includes(' hidden>')),
      'what needs the script is hidden',
    )
  },
)

t.test('a project’s README can be edited on the project’s page, byte for byte', async (t) => {
  const file = join(home, 'projects/harbour/README.md')
  const onDisk = () => readFileSync(file, 'utf8')
  const page = async (browser = graces) => (await browser.open(`${project}/edit`)).text
  const callIn = (text: string) => /data-call="PUT ([^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&')
  const token = await graces.csrf()
  const save = (path: string, body: string, csrf: string | undefined = token, browser = graces) =>
    browser.send(
      'PUT',
      path,
      {
        Origin: workroom.url,
        'X-CSRF-Token': csrf,
        Accept: 'application/json',
        'Content-Type': 'text/markdown',
      },
      body,
    )
  writeFileSync(file, '---\r\nowner: Ada\r\n---\r\n# Harbour\r\n\r\nOld <words>.\r\n')
  const first = await page()
  t.match(first, '<textarea id="home-text"')
  t.match(first, 'owner: Ada\r\n---\r\n# Harbour\r\n\r\nOld &lt;words&gt;.')
  const path = callIn(first)
  t.equal((await save(path, '# Harbour\n\nNew words.\n')).status, 200)
  t.equal(onDisk(), '# Harbour\r\n\r\nNew words.\r\n', 'it keeps its line ends')
  t.match((await ada.open(project)).text, 'New words.')
  const { events } = (await request('GET', '/v1/events?since=0&wait=0&self=include&includeOwn=1')).json
  t.match(events.at(-1), { type: 'doc.write', docType: 'note', author: 'Grace' })

  const stale = await save(path, '# Harbour\n\nLost.\n')
  t.match([stale.status, stale.json.error], [409, /changed the home page/])
  const now = callIn(await page())
  const refused: [status: number, answer: ReturnType<typeof save>][] = [
    [403, save(now, '# Lost\n', 'junk')],
    [401, save(now, '# Lost\n', token, new ScriptlessBrowser(workroom))],
    [403, save(now, '# Lost\n', await strangers.csrf(), strangers)],
    [413, save(now, 'x'.repeat(5000))],
    [422, save(now, 'a\0b')],
    [409, save('/projects/shut/home?expected=', '# Lost\n', await ada.csrf(), ada)],
    [404, save('/projects/nowhere/home?expected=', '# Lost\n')],
  ]
  for (const [status, response] of refused) t.equal((await response).status, status)
  t.equal(onDisk(), '# Harbour\r\n\r\nNew words.\r\n')

  rmSync(file)
  const none = await page()
  t.match(none, /<textarea id="home-text"[^>]*>\n<\/textarea>/)
  t.equal((await save(now, '# Again\n')).status, 409, 'a save based on a deleted file is refused')
  t.equal((await save(callIn(none), '# Again\n')).status, 200)
  t.equal(onDisk(), '# Again\n')
  writeFileSync(file, Buffer.from('# Caf\xe9\n', 'latin1'))
  t.match(await page(), /The home page cannot be edited here/)
})

t.test('the page for something new offers every kind, with the fields of that kind', async (t) => {
  const choice = await ada.open(`${project}/new`)
  for (const kind of ['document', 'post', 'draft', 'card']) t.match(choice.text, `new?kind=${kind}"`)
  const document = await ada.open(`${project}/new?kind=document&folder=guides`)
  t.match(document.text, /name="folder"[^>]*value="guides"/)
  t.match(document.text, '<option value="guides">')
  const card = await ada.open(`${project}/new?kind=card&column=done`)
  t.match(card.text, '<option value="04-done" selected>Done')
  t.match(card.text, '<input type="checkbox" value="Grace">')
  t.match(editorDetails(card.text), {
    kind: 'card',
    folder: `${tree}/board/04-done`,
    id: null,
    back: `${project}/board`,
  })
  t.match((await ada.open(`${project}/new?kind=draft`)).text, 'data-field="scheduledFor"')
})

t.test(
  'a preview renders text that is not saved yet as its page would show it, and stores nothing of it',
  async (t) => {
    const token = await graces.csrf()
    const preview = (query: string, body: string, browser = graces, csrf: string | undefined = token) =>
      browser.send(
        'POST',
        `${project}/preview${query}`,
        { Origin: workroom.url, 'X-CSRF-Token': csrf, Accept: 'application/json' },
        body,
      )
    const draft = await put('drafts/pictured.md', '# Pictured\n', grace.key)
    await request('POST', `${draft.path}/attachments?name=crane.png`, { key: grace.key, body: 'PNG' })
    const events = async () =>
      (await request('GET', '/v1/events?since=0&wait=0&self=include')).json.events.length
    const before = await events()

    const shown = await preview('', '---\ntags: [a]\n---\n\n@Grace, see [[Tides]] <b>now</b>.\n')
    t.equal(shown.status, 200)
    t.match(shown.headers['cache-control'], 'no-store')
    t.match(shown.json.html, 'href="/projects/harbour/docs/tides"')
    t.match(shown.json.html, '&#x3C;b>')
    t.notMatch(shown.json.html, /<h1|tags/)
    t.match(
      (await preview('?in=guides', '[up](../tides.md)')).json.html,
      'href="/projects/harbour/docs/tides"',
    )
    const picture = '![](crane.png)'
    const byGrace = `?folder=drafts&id=${draft.id}`
    t.match((await preview(byGrace, picture)).json.html, /<img src="\/download\//)
    t.match((await preview(byGrace, picture)).json.html, '<h1')
    const adas = await preview(byGrace, picture, ada, await ada.csrf())
    t.notMatch(adas.json.html, /<img|Pictured/, 'a preview cannot use somebody else’s draft')
    t.match((await preview('', '---\nbroken: [\n---\n# Still shown\n')).json.html, 'Still shown')

    t.equal((await preview('', 'x', graces, 'wrong')).status, 403)
    t.equal((await preview('', 'x', new ScriptlessBrowser(workroom))).status, 401)
    t.equal((await preview('', 'x', strangers, await strangers.csrf())).status, 403)
    t.equal((await preview('?folder=plans', 'x')).status, 400)
    t.equal((await preview('', 'x'.repeat(4097))).status, 413)
    t.equal((await preview('', 'a\0b')).status, 422)
    t.equal(await events(), before)
  },
)
