import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { Address } from '../../../core/documents/model/types.ts'
import { Prerenderer } from '../../../core/rendering/prerenderer.ts'
import { databasePath } from '../../../data/home.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { renameMember } from '../../support/rename-member.ts'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

const threads = processMarkdown()

let renderings = 0

let batches = 0

const markdown = {
  ...threads,
  html: (request: Parameters<typeof threads.html>[0]) => {
    renderings++
    return threads.html(request)
  },
  htmls: (requests: Parameters<typeof threads.htmls>[0]) => {
    batches++
    return threads.htmls(requests)
  },
}

const workroom = await startWorkroom(t, { faults: { markdown } })

const { request, workspace, owner, clock, home } = workroom

const { rendering } = workspace

const tree = '/v1/fs/projects/general'

const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')

const eve = await workroom.addMember({ name: 'Eve', type: 'human' })

const me = workspace.stores.members.authenticate(owner.key)!

const put = async (path: string, body: string, key = owner.key) =>
  (await request('PUT', `${tree}/${path}`, { body, key })).json

const doc = (name: string): Address => ({ project: 'general', folder: 'documents', name })

const rename = async (id: string, name: string) => {
  await renameMember(home, id, name)
  workspace.maintenance.refresh()
}

/** The HTML without the attributes that every element has, and without random parts of addresses. */
const plain = (html: string) =>
  html.replace(/ (?:id="\^[^"]*"|data-block="[^"]*"|dir="auto")/g, '').replace(/(?<=\/download\/)[^/]+/g, '…')

/** The rendered paragraphs of a document with these lines. */
const shown = async (lines: string[], address = doc('lines'), caller = me) => {
  if (address.name === 'lines') await put('docs/lines.md', `# Lines\n\n${lines.join('\n\n')}\n`)
  const { html } = await rendering.documents.at(caller, address)
  return plain(html).match(/(?<=<p>).*?(?=<\/p>)/gs) ?? []
}

const dead = (text: string) => `<a class="dead" title="Not found, or not visible to you">${text}</a>`

t.test('a document is rendered as HTML, with its outline and its author’s fields', async (t) => {
  const text = '---\ntags: [x]\nlevel: 2\n---\n# A *title*\n\nAsk @Grace and @[here](__here__).\n\n## Part\n'
  const { id, revision } = await put('docs/new.md', text)
  const rendered = await rendering.documents.at(me, doc('a-title'))
  const { outline, html, ...rest } = rendered
  t.strictSame(rest, {
    id,
    title: 'A title',
    revision: rest.revision,
    fields: { tags: ['x'], level: 2 },
    isPlain: false,
  })
  t.equal(revision ?? rest.revision, rest.revision)
  const { blocks } = (await request('GET', `${tree}/docs/a-title.md?view=blocks`)).json
  t.strictSame(outline, [
    { depth: 1, text: 'A title', anchor: 'a-title', id: blocks[1].id },
    { depth: 2, text: 'Part', anchor: 'part', id: blocks[3].id },
  ])
  const { id: member } = grace.member
  const mention = (name: string) =>
    `<a class="mention" data-member="${member}" href="/members/${member}"><bdi>@${name}</bdi></a>`
  const here = '<span class="mention" data-member="__here__"><bdi>@here</bdi></span>'
  const asking = `Ask ${mention('Grace')} and ${here}.`
  t.equal(plain(html), `<h1 id="a-title">A <em>title</em></h1>\n<p>${asking}</p>\n<h2 id="part">Part</h2>`)

  await rename(grace.member.id, 'Admiral "G" & co')
  t.match(plain((await rendering.documents.at(me, doc('a-title'))).html), mention('Admiral "G" &#x26; co'))
  await rename(grace.member.id, 'Grace')
  t.equal(plain((await rendering.documents.at(me, doc('a-title'))).html), plain(html))
})

t.test('the same bytes are rendered once for all readers, even at once', async (t) => {
  await put('docs/once.md', '# Once\n\n[[Later]]\n')
  const before = renderings
  const other = workspace.stores.members.authenticate(grace.key)!
  await Promise.all([me, other, me].map((caller) => rendering.documents.at(caller, doc('once'))))
  t.strictSame(await shown([], doc('once')), [dead('Later')])
  await put('docs/later.md', '# Later\n\ntext\n')
  t.match(await shown([], doc('once'), other), [
    '<a class="reference" data-type="document" href="/projects/general/docs/later">Later</a>',
  ])
  t.equal(renderings, before + 1)
  const { revision } = await rendering.documents.at(me, doc('once'))
  await put('docs/once.md', '# Once\n\nNow.\n')
  t.strictSame(await shown([], doc('once')), ['Now.'])
  t.match(await rendering.documents.at(me, doc('once'), revision), { revision, html: /Later/ })
  await t.rejects(rendering.documents.at(me, doc('once'), '0'.repeat(20)), { code: 'not_found' })
})

t.test(
  'a long document is rendered after its write, before anyone opens it, and a short one is not',
  async (t) => {
    const before = renderings
    await put('docs/short.md', '# Short\n')
    await put('docs/long-one.md', `# Long one\n\n${'Word after word. '.repeat(1200)}\n`)
    await workroom.eventually(() => renderings === before + 1)
    t.match((await rendering.documents.at(me, doc('long-one'))).html, /Word after word/)
    t.equal(renderings, before + 1, 'opening it renders nothing')
  },
)

t.test(
  'a long document that has been rendered once is shown after a restart without rendering it again',
  async (t) => {
    const config = { publicUrl: 'https://work.example' }
    const workroom = await startWorkroom(t, { config, faults: { markdown } })
    const text = (title: string) => `# ${title}\n\n[[Later]] ${'Word after word. '.repeat(1200)}\n`
    const shown = async (name: string) => {
      const { workspace, owner } = workroom
      const caller = workspace.stores.members.authenticate(owner.key)!
      return (await workspace.rendering.documents.at(caller, doc(name))).html
    }
    const write = (name: string) => workroom.request('PUT', `${tree}/docs/${name}.md`, { body: text(name) })
    await write('kept')
    const html = await shown('kept')
    await workroom.restart()
    const before = renderings
    t.equal(await shown('kept'), html)
    t.equal(renderings, before)
    await workroom.request('PUT', `${tree}/docs/kept.md`, { body: text('Kept').replace('Later', 'Sooner') })
    t.match(await shown('kept'), /Sooner/, 'the HTML of an older revision is not used')
    const rendered = renderings
    await workroom.restart(() => {
      const db = new Sqlite(databasePath(workroom.home))
      db.exec("UPDATE rendered_documents SET program = 'an older one', html = x''")
      db.close()
    })
    t.match(await shown('kept'), /Sooner/, 'the HTML of an older program is not used')
    t.equal(renderings, rendered + 1)
  },
)

t.test('of any number of long documents written at once, each is rendered', async (t) => {
  const ids = Array.from({ length: 250 }, (_, number) => `doc_${number}`)
  const records = ids.map((id) => ({ id, bytes: 100_000, deletedMs: null }) as DocumentRecord)
  const prepared: string[] = []
  const prerenderer = new Prerenderer({
    rendering: {
      async prerender({ id }) {
        prepared.push(id)
        if (id === ids[0]) throw new Error('It cannot be rendered')
      },
    },
    find: (id) => records.find((record) => record.id === id) ?? null,
  })
  t.teardown(() => prerenderer.stop())
  for (const record of records) prerenderer.enqueue(record)
  await workroom.eventually(() => prepared.length === ids.length)
  t.same(prepared, ids)
})

t.test('links lead to the pages of their targets, and links without a target are dead', async (t) => {
  await put('docs/plan.md', '# The & plan\n\n## Big Part\n\ntext\n')
  await put('board/todo/card.md', '# Mend it\n')
  await put('drafts/secret.md', '# Secret\n', grace.key)
  const secret = (await request('GET', `${tree}/drafts`, { key: grace.key })).json.posts[0].id
  const plan = '/projects/general/docs/the-plan'
  const { blocks } = (await request('GET', `${tree}/docs/the-plan.md?view=blocks`)).json
  const reference = (href: string, text: string, more = '') =>
    `<a class="reference" data-type="document"${more} href="${href}">${text}</a>`
  const cases: [markdown: string, html: string][] = [
    ['[[The & plan]]', reference(plan, 'The &amp; plan')],
    ['[[THE & plan|a *label*]]', '[[THE &#x26; plan|a <em>label</em>]]'],
    ['[[the-plan|a "label"]]', reference(plan, 'a &quot;label&quot;', ' title="The &amp; plan"')],
    ['[[the-plan#Big Part]]', reference(`${plan}#big-part`, 'The &amp; plan › Big Part')],
    [`[[the-plan#^${blocks[3].id}]]`, reference(`${plan}#^${blocks[3].id}`, 'The &amp; plan')],
    ['![[the-plan]]', `<a class="reference embed" data-type="document" href="${plan}">The &amp; plan</a>`],
    ['[[c:1]]', '<a class="reference" data-type="card" href="/projects/general/board/1">Mend it</a>'],
    ['[[#Lines]] [[#lines|up]]', '<a href="#lines">Lines</a> <a href="#lines">up</a>'],
    ['[[the-plan#gone]]', dead('the-plan#gone')],
    ['[[Nothing & nobody|x <y]]', dead('x &lt;y')],
    [`[[p:${secret}]]`, dead(`p:${secret}`)],
    ['[*it*](the-plan.md#big-part "t")', `<a href="${plan}#big-part" title="t"><em>it</em></a>`],
    ['[it](../board/02-todo/0001-mend-it.md)', '<a href="/projects/general/board/1">it</a>'],
    [`[it](${workroom.url}${tree}/docs/the-plan.md)`, `<a href="${plan}">it</a>`],
    [`[it](${tree}/docs)`, '<a href="/projects/general/docs">it</a>'],
    [
      `[it](${tree}/plan.md) [it](${tree})`,
      '<a href="/projects/general/plan">it</a> <a href="/projects/general">it</a>',
    ],
    ['[it](gone.md)', dead('it')],
    ['[it](/v1/fs/inbox/mentions.md)', dead('it')],
    ['[it](../../other)', dead('it')],
  ]
  const lines = await shown(cases.map(([markdown]) => markdown))
  for (const [place, [markdown, html]] of cases.entries()) t.equal(lines[place], html, markdown)
})

t.test('pictures of the workspace are shown by links for this reader alone', async (t) => {
  const bytes = Buffer.from('not really a picture')
  const upload = (path: string, name: string) =>
    request('POST', `${tree}/${path}?name=${encodeURIComponent(name)}`, { body: bytes })
  await upload('library/files', 'a b.png')
  await upload('library/files', 'notes.pdf')
  const post = await put(
    'posts/p.md',
    '# Shown\n\n![x](shot.png)\n\n[y](attachments/shot.png)\n\n![[shot.png]]\n',
  )
  const { id } = (await upload(`posts/${post.filename}/attachments`, 'shot.png')).json
  const image = (name: string, alt: string, more = '') =>
    `<img src="/download/…/${name}" alt="${alt}"${more} loading="lazy" decoding="async">`
  const posts: Address = { project: 'general', folder: 'posts', name: post.filename }
  t.strictSame(await shown([], posts), [
    image('shot.png', 'x'),
    '<a href="/download/…/shot.png">y</a>',
    `<a href="/download/…/shot.png">${image('shot.png', 'shot.png')}</a>`,
  ])
  const cases: [markdown: string, html: string][] = [
    ['![a "q"](<../files/a b.png> "t")', image('a%20b.png', 'a &quot;q&quot;', ' title="t"')],
    [`![](${tree}/library/files/a%20b.png)`, image('a%20b.png', '')],
    [`![](${tree}/posts/${post.filename}/attachments/${id})`, image('shot.png', '')],
    [`![](../attachments/${post.id}/shot.png)`, image('shot.png', '')],
    ['![[a b.png|wide]]', `<a href="/download/…/a%20b.png">${image('a%20b.png', 'wide')}</a>`],
    [
      '![n](../files/notes.pdf) [n](../files/notes.pdf)',
      '<a href="/download/…/notes.pdf">n</a> <a href="/download/…/notes.pdf">n</a>',
    ],
    [
      '[![n](../files/notes.pdf)](https://x.org)',
      '<a href="https://x.org/" rel="noopener noreferrer nofollow">n</a>',
    ],
    [
      '[![n](../files/x.svg)](the-plan.md)',
      `<a href="/projects/general/docs/the-plan">${image('x.svg', 'n')}</a>`,
    ],
    [
      '![gone](other.png) ![](%zz.png)',
      ['gone', '%zz.png']
        .map((name) => `<span class="dead" title="Not found, or not visible to you">${name}</span>`)
        .join(' '),
    ],
  ]
  const lines = await shown(cases.map(([markdown]) => markdown))
  for (const [place, [markdown, html]] of cases.entries()) t.equal(lines[place], html, markdown)

  const address = async () => /src="([^"]*)"/.exec((await rendering.documents.at(me, posts)).html)![1]!
  const first = await address()
  const opened = await request('GET', first, { key: undefined })
  t.match([opened.status, opened.text, opened.headers['content-type']], [200, bytes.toString(), 'image/png'])
  clock.advance(29 * 60_000)
  t.equal(await address(), first, 'the link stays, so the picture is not loaded again')
  clock.advance(2 * 60_000)
  const next = await address()
  t.not(next, first)
  t.equal((await request('GET', next, { key: undefined })).status, 200)
  const other = await rendering.documents.at(workspace.stores.members.authenticate(grace.key)!, posts)
  t.notMatch(other.html, next, 'each reader has links of their own')
})

t.test('a document is not rendered for a caller who may not read it', async (t) => {
  const stranger = workspace.stores.members.authenticate(eve.key)!
  await t.rejects(rendering.documents.at(stranger, doc('lines')), { code: 'forbidden' })
  await t.rejects(rendering.documents.home(stranger, 'general'), { code: 'forbidden' })
  await t.rejects(rendering.documents.at(me, doc('never-was')), { code: 'not_found' })
})

t.test('a card is rendered with its effective status, and a project with its README', async (t) => {
  await put('board/todo/c.md', '---\nstatus: drafted\nlabels: [a]\n---\n# Closed card\n')
  await request('POST', `${tree}/board/02-todo/closed-card.md/_move`, { body: { toColumn: 'done' } })
  const address: Address = { project: 'general', folder: 'board', column: 'done', name: 'closed-card' }
  t.match(await rendering.documents.at(me, address), { fields: { status: 'closed', labels: ['a'] } })
  t.match(await rendering.documents.home(me, 'general'), { html: /^<h1 / })
  const { slug } = (await request('POST', '/v1/projects', { body: { name: 'Bare' } })).json.project
  t.match(await rendering.documents.home(me, slug), { html: '<h1' })
})

t.test('a file without a title, or that is not text, is rendered nevertheless', async (t) => {
  const folder = join(home, 'projects/general/documents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'untitled.md'), 'hi @Grace\n')
  t.match(
    plain((await rendering.documents.at(me, doc('untitled'))).html),
    /^<h1 id="untitled">untitled<\/h1>\n<p>hi <a class="mention"/,
  )
  writeFileSync(join(folder, 'latin.md'), Buffer.from('# Caf\xe9 <b>\n', 'latin1'))
  t.match(await rendering.documents.at(me, doc('latin')), {
    isPlain: true,
    outline: [],
    html: '<pre class="plain" dir="auto" tabindex="0">\n# Caf\uFFFD &lt;b&gt;\n</pre>',
  })
})

const general = workspace.stores.projects.find('general')!.id

const say = async (bodies: string[], projectId: string | null = general, caller = me) => {
  const texts = bodies.map((body, place) => ({ key: String(place), body, projectId }))
  const html = await rendering.texts.html(caller, texts)
  return bodies.map((_, place) => plain(html.get(String(place))!))
}

t.test('messages and comments keep their lines, and have neither headings nor ids', async (t) => {
  const { id } = await put('docs/linked.md', '# Linked\n\nText.\n')
  await rename(grace.member.id, 'Grace')
  const { id: member } = grace.member
  const mention = `<a class="mention" data-member="${member}" href="/members/${member}"><bdi>@Grace</bdi></a>`
  const external = 'rel="noopener noreferrer nofollow"'
  const reference = `<a class="reference" data-type="document" href="/projects/general/docs/linked">Linked</a>`
  const cases: [body: string, html: string][] = [
    ['one\ntwo  \nthree\n\nfour', '<p>one<br>\ntwo<br>\nthree</p>\n<p>four</p>'],
    ['# Big\n\nSmall\n---', '<p><strong>Big</strong></p>\n<p><strong>Small</strong></p>'],
    [`Hi @[Old name](${grace.member.id})!`, `<p>Hi ${mention}!</p>`],
    [`é\n@[x](${grace.member.id})`, `<p>é<br>\n${mention}</p>`],
    ['`@[a](__here__)`', '<p><code>@here</code></p>'],
    [
      `See [[n:${id}]] and [it](docs/linked.md).`,
      `<p>See ${reference} and <a href="/projects/general/docs/linked">it</a>.</p>`,
    ],
    ['[[No such thing]]', `<p>${dead('No such thing')}</p>`],
    ['![Alt](https://a.example/x.png)', `<p><a href="https://a.example/x.png" ${external}>Alt</a></p>`],
    [
      '[![Alt](/download/x/y.png)](https://a.example/)',
      `<p><a href="https://a.example/" ${external}>Alt</a></p>`,
    ],
    [
      '![Alt](/download/x/y.png)',
      '<p><a class="picture" href="/download/…/y.png"><img src="/download/…/y.png" alt="Alt" loading="lazy" decoding="async"></a></p>',
    ],
    ['![Plan](/download/x/y.pdf)', '<p><a href="/download/…/y.pdf">Plan</a></p>'],
    ['A[^1]\n\n[^1]: Note', '<p>A[^1]</p>\n<p>[^1]:</p>\n<p>Note</p>'],
    ['<b>x</b>', '<p>&#x3C;b>x&#x3C;/b></p>'],
    ['[x](javascript:alert(1))', '<p><span class="dead">x</span></p>'],
    [
      '```js\nlet x\n```',
      '<pre tabindex="0"><code dir="ltr" class="language-js"><span class="hljs-keyword">let</span> x\n</code></pre>',
    ],
    ['---\ntitle: no\n---', '<hr>\n<p><strong>title: no</strong></p>'],
    ['', ''],
  ]
  const shown = await say(cases.map(([body]) => body))
  for (const [place, [body, html]] of cases.entries()) t.equal(shown[place], html, body)
})

t.test(
  'names in messages outside a project are not resolved, and links that may not be read are dead',
  async (t) => {
    const { id } = await put('docs/secret.md', '# Secret\n\nText.\n')
    t.same(await say(['[[Secret]] [[c:1]] [[x]]'], null), [
      '<p><a>[[Secret]]</a> <a>[[c:1]]</a> <a>[[x]]</a></p>',
    ])
    t.match(await say([`[[n:${id}]]`], null), [/href="\/projects\/general\/docs\/secret">Secret/])
    const stranger = workspace.stores.members.authenticate(eve.key)!
    t.same(await say([`[[n:${id}]] [x](/v1/fs/projects/general/docs/secret.md)`], general, stranger), [
      `<p>${dead(`n:${id}`)} ${dead('x')}</p>`,
    ])
  },
)

t.test('a page of messages is rendered in one batch, each text once for all readers', async (t) => {
  const before = batches
  const bodies = Array.from({ length: 50 }, (_, place) => `Message *${place % 25}*, said at once`)
  const both = await Promise.all([say(bodies), say(bodies, null)])
  t.same(both[0], both[1])
  t.equal(both[0]![26], '<p>Message <em>1</em>, said at once</p>')
  t.equal(batches, before + 1)
  await say(bodies)
  t.equal(batches, before + 1)
})

t.test('a message that takes too long is shown as plain text and delays no other', async (t) => {
  const deep = '>'.repeat(2000)
  t.same(await say(['*a*', deep, '*b*']), [
    '<p><em>a</em></p>',
    `<pre class="plain" tabindex="0">\n${deep.replaceAll('>', '&gt;')}</pre>`,
    '<p><em>b</em></p>',
  ])
})
