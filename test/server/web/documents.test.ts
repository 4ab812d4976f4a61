import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openProjectFolder, remove } from '../../support/project-folder.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const workroom = await openProjectFolder(t)
const { owner, workspace } = workroom
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const signedIn = (key: string) => new ScriptlessBrowser(workroom).signIn(key)
const [ada, gracesBrowser, strangers] = [
  await signedIn(owner.key),
  await signedIn(grace.key),
  await signedIn(stranger.key),
]
const tree = '/v1/fs/projects/general'
const pages = '/projects/general'

const put = async (path: string, text: string, key = owner.key) => {
  const response = await workroom.request('PUT', `${tree}/${path}`, { key, body: text })
  if (response.status !== 201) throw new Error(response.text)
  return {
    ...(response.json as { id: string; path: string; url: string }),
    page: new URL(response.json.url).pathname,
    revision: response.headers['x-service-revision'] as string,
  }
}

/** The `<main>` of a page that opens. */
const mainOf = async (path: string, browser = ada): Promise<string> => {
  const { status, text } = await browser.open(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return /<main[\s\S]*<\/main>/.exec(text)![0]
}

/** The part of a page with an id, up to the next part that is updated live. */
const partOf = (main: string, id: string): string =>
  new RegExp(`<\\w+[^>]* id="${id}"[\\s\\S]*?(?=<\\w+[^>]* data-live|$)`).exec(main)![0]

await put('docs/style.md', '# Style\n\nSee [[Release plan#Steps]] for how it goes.\n')
const plan = await put(
  'docs/plan.md',
  '---\ntags: [launch, big]\nreviewed: true\nowner: Grace\nfacts: {a: 1}\ntitle: x\n---\n# Release plan\n\nHello @Grace Hopper, read [[Style]] and [[Nobody wrote this]].\n\n## Steps\n\n- [ ] one\n\n### Last\n\n<b>raw</b> and [bad](javascript:alert(1)).\n',
)

t.test('a document’s page shows its title, authors, fields, text and outline', async (t) => {
  const main = await mainOf(plan.page)
  t.match(main, /<h1 id="release-plan"[^>]*>Release plan<\/h1>/)
  t.equal(main.match(/<h1/g)?.length, 1)
  t.match(main, new RegExp(`<a href="/members/${owner.member.id}"><bdi>Ada</bdi></a>`))
  t.match(main, `<a href="${plan.page}?history">1 revision</a>`)
  t.match(
    main,
    '<dt><bdi>tags</bdi></dt>\n<dd><span class="tag"><bdi>launch</bdi></span> <span class="tag"><bdi>big</bdi>',
  )
  t.match(main, '<dt><bdi>reviewed</bdi></dt>\n<dd>yes</dd>')
  t.match(main, '<code>{&quot;a&quot;:1}</code>')
  t.notMatch(main, '<bdi>title</bdi>', 'the title is not listed as a field')
  t.match(
    main,
    new RegExp(
      `<a class="mention" data-member="${grace.member.id}" href="/members/${grace.member.id}"[^>]*><bdi>@Grace Hopper</bdi>`,
    ),
  )
  t.match(main, /<a class="reference"[^>]* href="\/projects\/general\/docs\/style"[^>]*>Style<\/a>/)
  t.match(main, /<a class="dead"[^>]*>Nobody wrote this<\/a>/)
  t.match(main, '&#x3C;b>raw', 'HTML is shown as text')
  t.notMatch(main, 'javascript:')
  t.match(
    partOf(main, 'outline'),
    /depth-0"><a href="#release-plan"[\s\S]*depth-1"><a href="#steps"[\s\S]*depth-2"><a href="#last"/,
  )
  t.match(
    partOf(main, 'document-foot'),
    /Linked from[\s\S]*docs\/style"><bdi>Style<\/bdi>[\s\S]*See Release plan#Steps for how it goes/,
  )
  t.match(main, `href="${pages}/edit/docs/release-plan"`)
  t.match(main, `data-call="DELETE ${plan.path}"`)
  const { text } = await ada.open(plan.page)
  t.match(text, `data-follows="{&quot;events&quot;:[&quot;${plan.id}&quot;]`)
  t.match(text, `&quot;document:${plan.id}&quot;`)
})

t.test('a document’s id and other names redirect to its page', async (t) => {
  for (const name of [plan.id, 'release-plan.md', 'RELEASE-PLAN']) {
    const response = await ada.open(`${pages}/docs/${name}?history`)
    t.match([response.status, response.headers.location], [303, `${plan.page}?history`], name)
  }
  const post = await put('posts/x.md', '# Spring news\n\nText.\n')
  t.match((await ada.open(`${pages}/posts/spring-news`)).headers.location, post.page)
  const moved = await put('docs/old-name.md', '# Old name\n')
  await put('docs/old-name.md', '# New name\n')
  t.match((await ada.open(moved.page)).headers.location, `${pages}/docs/new-name`)
  t.match((await ada.open(`${plan.page}?edit`)).headers.location, `${pages}/edit/docs/release-plan`)
  const nested = await put(`docs/${encodeURI('guides/café/how to.md')}`, '# How to\n')
  t.match(await mainOf(nested.page), '>How to</h1>')
})

t.test('the address that a new document was written to leads to the page of its title', async (t) => {
  const { page } = await put('docs/long.md', '# Tides of May\n\nHigh water.\n')
  t.equal(page, '/projects/general/docs/tides-of-may')
  for (const address of ['docs/long', 'docs/long.md'])
    t.match(await ada.open(`${pages}/${address}`), { status: 303, headers: { location: page } }, address)
  await put('docs/long.md', '# Tides of May\n\nLow water.\n')
  t.match(await mainOf(page), 'Low water.', 'it still writes to that document')
})

t.test('a title of more than 200 characters is cut, and the text keeps all of it', async (t) => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
  for (const [title, cut] of [
    [words(60), words(40)],
    ['x'.repeat(300), 'x'.repeat(200)],
  ] as const) {
    const { page } = await put('docs/heading.md', `# ${title}\n\nBelow it.\n`)
    const { text } = await ada.open(page)
    t.match(text, `<title>${cut} · General · Testers</title>`)
    t.equal(/<h1[^>]*>([^<]*)<\/h1>/.exec(text)![1], title)
    t.match(await mainOf(`${pages}/docs`), `<a href="${page}"><bdi>${cut}</bdi></a>`)
  }
})

t.test('an address that a document once had redirects to where its file is now', async (t) => {
  const onDisk = (path: string) => join(workroom.home, 'projects/general', path)
  const leadsTo = async (page: string, browser = ada) => {
    const { status, headers } = await browser.open(page)
    return headers.location ?? status
  }
  const first = `${pages}/docs/first-place`
  writeFileSync(onDisk('documents/first-place.md'), '# What moves\n\nText.\n')
  t.match(await mainOf(first), 'What moves')
  renameSync(onDisk('documents/first-place.md'), onDisk('documents/there.md'))
  t.equal(await leadsTo(`${first}?history`), `${pages}/docs/there?history`, 'moved on the disk')
  mkdirSync(onDisk('documents/places'))
  renameSync(onDisk('documents/there.md'), onDisk('documents/places/elsewhere.md'))
  const now = `${pages}/docs/places/elsewhere`
  t.same(await Promise.all([leadsTo(first), leadsTo(`${pages}/docs/there`)]), [now, now], 'moved twice')
  t.equal((await workroom.request('GET', `${tree}/docs/first-place.md`)).status, 404, 'no redirect in /v1/fs')
  await put('docs/first-place.md', '# First place\n\nAnother.\n')
  t.match(await mainOf(first), 'Another.', 'a new document at the old address comes first')
  workroom.clock.advance(20 * 24 * 3_600_000)
  t.equal(await leadsTo(`${pages}/docs/there`), now, 'the redirect still works after 20 days')
  await workroom.request('DELETE', `${tree}/docs/places/elsewhere.md`)
  t.equal(await leadsTo(`${pages}/docs/there`), 404, 'it is in the trash')

  const draft = await put('drafts/secret-news.md', '# Secret news\n\nText.\n')
  const graces = await put('drafts/secret-news.md', '# Secret news\n\nOther text.\n', grace.key)
  t.equal(graces.page, draft.page)
  const { json } = await workroom.request('POST', `${draft.path}/_publish`)
  t.equal(await leadsTo(draft.page), new URL(json.url).pathname, 'published')
  t.match(await mainOf(draft.page, gracesBrowser), 'Other text.')
  await workroom.request('DELETE', graces.path, { key: grace.key })
  t.equal(await leadsTo(draft.page, gracesBrowser), 404, 'she could never read the other author’s draft')
})

t.test('the page for something missing says what is missing, and offers a search for it', async (t) => {
  const cases: [path: string, browser: ScriptlessBrowser, status: number, text: RegExp][] = [
    [
      `${pages}/docs/guides/gone`,
      ada,
      404,
      /Document not found[\s\S]*\/search\?q=guides%20gone[\s\S]*\/projects\/general\/trash/,
    ],
    [`${pages}/posts/gone`, ada, 404, /Post not found[\s\S]*Show all posts/],
    [`${plan.page}?revision=00000000000000000000`, ada, 404, /Revision not found[\s\S]*\?history/],
    [`${plan.page}?diff=00000000000000000000`, ada, 404, /Revision not found/],
    ['/projects/nowhere/docs/x', ada, 404, /nowhere/],
    ['/projects/nowhere', ada, 404, /nowhere/],
    [plan.page, strangers, 403, /not a member of the project/],
    [pages, strangers, 403, /not a member of the project/],
    [`${pages}/docs`, strangers, 403, /not a member of the project/],
  ]
  for (const [path, browser, status, text] of cases) {
    const response = await browser.open(path)
    t.equal(response.status, status, path)
    t.match(response.text, text)
  }
  t.match((await new ScriptlessBrowser(workroom).open(plan.page)).headers.location, /^\/signin\?next=/)
})

t.test('the history lists every revision, shows each one, and compares them', async (t) => {
  const first = await put('docs/history.md', '# History\n\nAda wrote this line.\n')
  const second = await put('docs/history.md', '# History\n\nGrace wrote this line.\n', grace.key)
  const main = await mainOf(`${first.page}?history`)
  t.match(main, /2 revisions, newest first/)
  t.match(
    main,
    new RegExp(
      `current</span><br>\\s*<small><bdi>Grace Hopper</bdi>[\\s\\S]*?diff=${first.revision}&to=${second.revision}`,
    ),
  )
  t.match(main, `data-json="{&quot;revision&quot;:&quot;${first.revision}&quot;}"`)
  t.notMatch(main, `{&quot;revision&quot;:&quot;${second.revision}`, 'no Restore for the current one')
  t.match(await mainOf(`${first.page}?history&page=99`), /2 revisions/)

  const older = await mainOf(`${first.page}?revision=${first.revision}`)
  t.match(older, /This is an older revision, as <bdi>Ada<\/bdi> left it/)
  t.match(older, 'Ada wrote this line.')
  t.notMatch(older, '>Edit</a>')
  t.notMatch(older, 'data-presence')
  t.notMatch(await mainOf(`${first.page}?revision=${second.revision}`), 'older revision')

  const differences = await mainOf(`${first.page}?diff=${first.revision}`)
  t.match(
    differences,
    /<tr class="removed">[\s\S]*?<mark>Ada<\/mark> wrote this line\.[\s\S]*<tr class="added">[\s\S]*?<mark>Grace<\/mark> wrote/,
  )
  t.match(differences, /the current revision<\/a> by <bdi>Grace Hopper/)
  const backwards = await mainOf(`${first.page}?diff=${second.revision}&to=${first.revision}`)
  t.match(backwards, /class="removed">[\s\S]*?<mark>Grace/)
  t.match(await mainOf(`${first.page}?diff=${second.revision}`), 'No differences.')
})

t.test('a draft is shown to its author alone, who can publish it', async (t) => {
  const draft = await put(
    'drafts/idea.md',
    '---\nscheduledFor: 2030-01-02T03:04:05Z\n---\n# An idea\n\nText.\n',
  )
  const main = await mainOf(draft.page)
  t.match(main, /Draft<\/span> visible only to you/)
  t.match(main, 'scheduled for <time datetime="2030-01-02T03:04:05.000Z">')
  t.match(main, `data-call="POST ${draft.path}/_publish" data-then="go:{url}"`)
  t.match(main, `href="${pages}/edit/drafts/`)
  t.equal((await gracesBrowser.open(draft.page)).status, 404)
  t.match(await mainOf(`${pages}/drafts`), /An idea<\/bdi>[\s\S]*scheduled for/)
  t.match(await mainOf(`${pages}/drafts`, gracesBrowser), /No drafts/)
})

t.test('a document’s page offers only what its reader may do', async (t) => {
  const post = await put('posts/mine.md', '# Hers to delete\n\nText.\n', grace.key)
  const [adas, graces] = [await mainOf(post.page), await mainOf(post.page, gracesBrowser)]
  t.match(adas, `POST /v1/posts/${post.id}/pin`, 'an owner may pin')
  t.notMatch(graces, '/pin')
  for (const main of [adas, graces]) {
    t.notMatch(main, '>Edit</a>', 'a post cannot be edited')
    t.match(main, `DELETE ${post.path}`)
  }
  t.notMatch(await mainOf(plan.page, gracesBrowser), `DELETE ${plan.path}`)
  t.match(await mainOf(plan.page, gracesBrowser), '>Edit</a>')
})

t.test(
  'comments are shown below a post with their replies, which stay when their comment is deleted',
  async (t) => {
    const post = await put('posts/talk.md', '# Let us talk\n\nAbout it.\n')
    const say = async (body: string, key: string, parentId?: string): Promise<string> => {
      const response = await workroom.request('POST', `/v1/posts/${post.id}/comments`, {
        key,
        body: { body, ...(parentId && { parentId }) },
      })
      return response.json.comment._id
    }
    t.match(await mainOf(post.page), /No comments yet[\s\S]*data-call="POST \/v1\/posts/)
    const first = await say(`A **bold** word, @[Grace Hopper](${grace.member.id})`, owner.key)
    const reply = await say('A <i>reply</i>', grace.key, first)
    const second = await say('Another', grace.key)
    const graces = await mainOf(post.page, gracesBrowser)
    t.match(
      graces,
      new RegExp(
        `id="${first}"[\\s\\S]*<strong>bold</strong>[\\s\\S]*class="mention"[\\s\\S]*class="replies"[\\s\\S]*id="${reply}"[\\s\\S]*id="${second}"`,
      ),
    )
    t.notMatch(graces, '<i>')
    t.match(graces, `name="parentId" value="${first}"`)
    t.notMatch(graces, `name="parentId" value="${reply}"`, 'a reply cannot be replied to')
    t.match(graces, `DELETE /v1/posts/${post.id}/comments/${reply}`)
    t.notMatch(graces, `DELETE /v1/posts/${post.id}/comments/${first}`, 'only her own can be deleted')
    t.match(graces, `data-unread="${first}"`, 'the page marks an unread mention of its reader')
    await workroom.request('DELETE', `/v1/posts/${post.id}/comments/${first}`)
    const after = await mainOf(post.page)
    t.match(after, /This comment was deleted\.[\s\S]*class="replies"/)
    t.notMatch(after, 'bold')
    t.match(
      await mainOf(`${pages}/posts`),
      /Let us talk<\/bdi><\/a><br>\s*<small>[\s\S]*?2 comments, the last/,
    )
    t.match(await mainOf(`${post.page}?comments=${second}`), /Show the first comments/)
    t.equal((await ada.open(`${post.page}?comments=none`)).status, 400)
  },
)

t.test('a block is chosen, commented on and the comment answered without script', async (t) => {
  const { page } = await put('docs/more.md', '# More\n\nHigh water.\n\n## Low water\n\nNobody knows.\n')
  const decoded = (text: string) => text.replaceAll('&amp;', '&')
  /** Sends a form of a page as a browser would. @returns where the response leads */
  const send = async (main: string, formWith: string, body: string) => {
    const form = main
      .match(/<form method="post" action="\/comments"[\s\S]*?<\/form>/g)!
      .find((one) => one.includes(formWith))!
    const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const fields = hidden.map(([, name, value]) => [name, decoded(value!)])
    const { status, headers } = await ada.submit('/comments', { ...Object.fromEntries(fields), body })
    t.equal(status, 303)
    t.match(headers.location, /\?at=cmt_\w+#cmt_/)
    return mainOf(headers.location!.split('#')[0]!)
  }
  const choose = /href="([^"]*)">Choose a block</.exec(await mainOf(page))![1]!
  const choosing = await mainOf(decoded(choose).split('#')[0]!)
  const block = /<a[^>]* href="([^"]*)"[^>]*>(?:(?!<\/a>)[\s\S])*Nobody knows\./.exec(choosing)![1]!
  const chosen = await mainOf(decoded(block).split('#')[0]!)
  t.match(partOf(chosen, 'comment-about'), 'On <q>Nobody knows.</q>')
  const commented = await send(chosen, 'id="comment-form"', 'I do.')
  t.match(commented, '1 comment on this block')
  t.match(commented, 'I do.')
  const answered = await send(commented, 'name="parentId"', 'Neither do I.')
  t.match(answered, '2 comments on this block')
  t.match(answered, 'Neither do I.')
})

t.test('the address of a comment opens the page that holds it, even after 1,000 others', async (t) => {
  const post = await put('posts/y.md', '# Much said\n\nText.\n')
  const me = workspace.stores.members.authenticate(owner.key)!
  const say = async (body: string) => (await workspace.comments.posts.post(me, post.id, { body })).comment
  const first = await say('Said zuerst.')
  await Promise.all(Array.from({ length: 1000 }, (_, number) => say(`Comment ${number}`)))
  const last = await say(`Said zuletzt, @[Grace Hopper](${grace.member.id}).`)
  const found = async (word: string) => {
    const { json } = await workroom.request('GET', `/v1/search?q=${word}`)
    const { pathname, search, hash } = new URL(json.results[0].url)
    return { page: pathname + search, id: hash.slice(1) }
  }
  for (const [word, comment, isFirst] of [
    ['zuerst', first, true],
    ['zuletzt', last, false],
  ] as const) {
    const { page, id } = await found(word)
    t.equal(id, comment._id)
    const main = await mainOf(page)
    t.match(main, new RegExp(`<li id="${id}"[\\s\\S]*${word}`))
    t.equal(main.includes('Show the first comments'), !isFirst)
  }
  const [mention] = workspace.inbox.mentions.unread(workspace.stores.members.authenticate(grace.key)!)
  t.match(mention, { id: last._id, url: `${workroom.url}${post.page}?at=${last._id}#${last._id}` })
  t.match(await mainOf(`${post.page}?at=cmt_of_nothing`), 'Said zuerst.')
})

t.test('an archived project can be read, and offers no change', async (t) => {
  await workspace.projects.create(
    { member: owner.member, keyId: 'none', scopes: new Set(['*']) },
    { name: 'Past', slug: 'past' },
  )
  const write = (path: string, text: string) =>
    workroom.request('PUT', `/v1/fs/projects/past/${path}`, { body: text })
  await write('docs/was.md', '# Was\n')
  await write('posts/was.md', '# Was said\n')
  t.equal((await workroom.request('PATCH', '/v1/projects/past', { body: { archived: true } })).status, 200)
  const { posts } = (await workroom.request('GET', '/v1/fs/projects/past/posts')).json
  for (const path of ['/projects/past/docs/was', new URL(posts[0].url).pathname, '/projects/past/docs']) {
    const main = await mainOf(path)
    t.match(main, 'This project is archived', path)
    t.notMatch(main, /data-call|>Edit<|\/new\?/)
  }
})

t.test('lists show folders as a tree and pinned posts first, and explain what belongs there', async (t) => {
  await put('docs/guides/setup.md', '# Set up\n')
  await put('docs/guides/deep/well.md', '# The well\n')
  const documents = await mainOf(`${pages}/docs`)
  t.match(
    documents,
    /id="folder-guides" open>[\s\S]*id="folder-guides\/deep" open>[\s\S]*The well[\s\S]*Set up[\s\S]*Release plan/,
  )
  t.match(documents, `href="${pages}/new?kind=document"`)
  const folder = await mainOf(`${pages}/docs?folder=guides%2Fdeep`)
  t.match(folder, /docs\?folder=guides"[\s\S]*The well/)
  t.notMatch(folder, 'Release plan')
  t.match(await mainOf(`${pages}/docs?folder=no/such`), 'Folder not found.')

  const first = await put('posts/pinned.md', '# The rules of the house\n')
  await put('posts/later.md', '# Something later\n')
  await workroom.request('POST', `/v1/posts/${first.id}/pin`)
  const posts = await mainOf(`${pages}/posts`)
  t.match(posts, /The rules of the house<\/bdi><\/a> <span class="tag good">Pinned[\s\S]*Something later/)
  t.match(await mainOf(`${pages}/posts?page=7`), 'Something later')

  await workspace.projects.create(
    { member: owner.member, keyId: 'none', scopes: new Set(['*']) },
    { name: 'Empty', slug: 'empty' },
  )
  t.match(await mainOf('/projects/empty/posts'), /No posts yet[\s\S]*A post announces/)
  t.match(await mainOf('/projects/empty/docs'), /No documents yet/)
})

t.test('a project’s page shows its README, and beside it what is new', async (t) => {
  workroom.write('README.md', '# Our house\n\nRead [[Release plan]] first.\n')
  await workroom.scan()
  const asked = await workroom.request('POST', '/api/asks', {
    body: { project: 'general', title: 'Who brings cake?', kind: 'work' },
  })
  const main = await mainOf(pages)
  t.match(main, />Our house<\/h1>[\s\S]*href="\/projects\/general\/docs\/release-plan"/)
  t.match(main, /Posts<\/a>[\s\S]*Something later/)
  t.match(main, /Documents<\/a>[\s\S]*The well/)
  t.match(main, new RegExp(`id="${asked.json.askId}"[\\s\\S]*Who brings cake\\?`))
  t.match(main, /People<\/a>[\s\S]*Grace Hopper/)
  t.match(await mainOf('/projects/empty'), /No open asks/)
})

t.test('attachments and the conflict copies of a sync tool are listed below the text', async (t) => {
  const post = await put('posts/with-file.md', '# With a file\n\nSee [it](notes.txt).\n')
  const file = await workroom.request('POST', `${post.path}/attachments?name=notes.txt`, {
    body: 'Hello',
    headers: { 'Content-Type': 'text/plain' },
  })
  const main = await mainOf(post.page)
  t.match(
    main,
    new RegExp(
      `href="${post.path}/attachments/${file.json.id}"><bdi>notes.txt</bdi></a> <small>5 bytes, text/plain`,
    ),
  )
  writeFileSync(workroom.at('documents/release-plan.sync-conflict-20260601-120000-ABCDEFG.md'), '# Other\n')
  await workroom.scan()
  t.match(await mainOf(plan.page), /Conflict copies[\s\S]*release-plan\.sync-conflict/)
})

t.test('a file that takes too long to render is shown as plain text', async (t) => {
  const deep = await put('docs/deep.md', `# Too deep\n\n${'>'.repeat(20_000)} here\n`)
  const main = await mainOf(deep.page)
  t.match(main, '<h1><bdi>Too deep</bdi></h1>')
  t.match(main, /takes too long to render[\s\S]*<pre class="plain"/)
})

t.test('untracked markdown files are listed on the project’s page, and logged once', async (t) => {
  const warnings = () => workroom.log.lines.filter(({ message }) => message.includes('not a document'))
  t.notMatch(await mainOf(pages), 'Untracked files')
  workroom.write('doc.md', '# Doc\n')
  workroom.write('posts/sub/deep.md', '# Deep\n')
  workroom.write('board/05-later/card.md', '# Card\n')
  workroom.write('drafts/secret-plan.md', '# Secret\n')
  // The watcher's hints are enough to find them; no scan is requested.
  const main = await workroom.eventually(async () => {
    const shown = await mainOf(pages)
    return /05-later/.test(shown) && /sub\//.test(shown) && /drafts\//.test(shown) ? shown : null
  })
  t.match(main, /general\/<\/bdi><\/span> holds a markdown file that is not a document: doc\.md/)
  t.match(main, /posts\/sub\/[\s\S]*deep\.md[\s\S]*Posts belong directly in posts\//)
  t.match(main, /board\/05-later\/[\s\S]*card\.md[\s\S]*Cards belong in the columns 01-triage/)
  t.match(main, /drafts\/<\/bdi><\/span> holds a markdown file that is not a document<br>/)
  t.notMatch(main, 'secret-plan', 'the names of files among drafts are not shown to others')
  await workroom.scan()
  await workroom.scan()
  t.same(
    warnings()
      .map(({ message }) => message.split(' ')[0])
      .sort(),
    ['', '/board/05-later', '/drafts', '/posts/sub'].map((folder) => `projects/general${folder}`),
    'each is logged once',
  )
  t.match(warnings()[0]!.message, /: \S+\.md\. [A-Z]/, 'the log says how to fix it')
  for (const path of ['doc.md', 'posts/sub', 'board/05-later', 'drafts/secret-plan.md'])
    remove(workroom.at(path))
  await workroom.scan()
  t.notMatch(await mainOf(pages), 'Untracked files')
})
