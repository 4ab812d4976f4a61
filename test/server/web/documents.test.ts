import { writeFileSync } from 'node:fs'
import t from 'tap'
import { openPages, pages, partOf } from '../../support/open-pages.ts'

const { workroom, grace, ada, gracesBrowser, put } = await openPages(t)
const { owner } = workroom

await put('docs/style.md', '# Style\n\nSee [[Release plan#Steps]] for how it goes.\n')
const plan = await put(
  'docs/plan.md',
  '---\ntags: [launch, big]\nreviewed: true\nowner: Grace\nfacts: {a: 1}\ntitle: x\n---\n# Release plan\n\nHello @Grace Hopper, read [[Style]] and [[Nobody wrote this]].\n\n## Steps\n\n- [ ] one\n\n### Last\n\n<b>raw</b> and [bad](javascript:alert(1)).\n',
)

t.test('a document’s page shows its title, authors, fields, text and outline', async (t) => {
  const main = await ada.main(plan.page)
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
    t.match(await ada.main(`${pages}/docs`), `<a href="${page}"><bdi>${cut}</bdi></a>`)
  }
})

t.test('the history lists every revision, shows each one, and compares them', async (t) => {
  const first = await put('docs/history.md', '# History\n\nAda wrote this line.\n')
  const second = await put('docs/history.md', '# History\n\nGrace wrote this line.\n', grace.key)
  const main = await ada.main(`${first.page}?history`)
  t.match(main, /2 revisions, newest first/)
  t.match(
    main,
    new RegExp(
      `current</span><br>\\s*<small><bdi>Grace Hopper</bdi>[\\s\\S]*?diff=${first.revision}&to=${second.revision}`,
    ),
  )
  t.match(main, `data-json="{&quot;revision&quot;:&quot;${first.revision}&quot;}"`)
  t.notMatch(main, `{&quot;revision&quot;:&quot;${second.revision}`, 'no Restore for the current one')
  t.match(await ada.main(`${first.page}?history&page=99`), /2 revisions/)

  const older = await ada.main(`${first.page}?revision=${first.revision}`)
  t.match(older, /This is an older revision, as <bdi>Ada<\/bdi> left it/)
  t.match(older, 'Ada wrote this line.')
  t.notMatch(older, '>Edit</a>')
  t.notMatch(older, 'data-presence')
  t.notMatch(await ada.main(`${first.page}?revision=${second.revision}`), 'older revision')

  const differences = await ada.main(`${first.page}?diff=${first.revision}`)
  t.match(
    differences,
    /<tr class="removed">[\s\S]*?<mark>Ada<\/mark> wrote this line\.[\s\S]*<tr class="added">[\s\S]*?<mark>Grace<\/mark> wrote/,
  )
  t.match(differences, /the current revision<\/a> by <bdi>Grace Hopper/)
  const backwards = await ada.main(`${first.page}?diff=${second.revision}&to=${first.revision}`)
  t.match(backwards, /class="removed">[\s\S]*?<mark>Grace/)
  t.match(await ada.main(`${first.page}?diff=${second.revision}`), 'No differences.')
})

t.test('a draft is shown to its author alone, who can publish it', async (t) => {
  const draft = await put(
    'drafts/idea.md',
    '---\nscheduledFor: 2030-01-02T03:04:05Z\n---\n# An idea\n\nText.\n',
  )
  const main = await ada.main(draft.page)
  t.match(main, /Draft<\/span> visible only to you/)
  t.match(main, 'scheduled for <time datetime="2030-01-02T03:04:05.000Z">')
  t.match(main, `data-call="POST ${draft.path}/_publish" data-then="go:{url}"`)
  t.match(main, `href="${pages}/edit/drafts/`)
  t.equal((await gracesBrowser.open(draft.page)).status, 404)
  t.match(await ada.main(`${pages}/drafts`), /An idea<\/bdi>[\s\S]*scheduled for/)
  t.match(await gracesBrowser.main(`${pages}/drafts`), /No drafts/)
})

t.test('a document’s page offers only what its reader may do', async (t) => {
  const post = await put('posts/mine.md', '# Hers to delete\n\nText.\n', grace.key)
  const [adas, graces] = [await ada.main(post.page), await gracesBrowser.main(post.page)]
  t.match(adas, `POST /v1/posts/${post.id}/pin`, 'an owner may pin')
  t.notMatch(graces, '/pin')
  for (const main of [adas, graces]) {
    t.notMatch(main, '>Edit</a>', 'a post cannot be edited')
    t.match(main, `DELETE ${post.path}`)
  }
  t.notMatch(await gracesBrowser.main(plan.page), `DELETE ${plan.path}`)
  t.match(await gracesBrowser.main(plan.page), '>Edit</a>')
})

t.test('attachments and the conflict copies of a sync tool are listed below the text', async (t) => {
  const post = await put('posts/with-file.md', '# With a file\n\nSee [it](notes.txt).\n')
  const file = await workroom.request('POST', `${post.path}/attachments?name=notes.txt`, {
    body: 'Hello',
    headers: { 'Content-Type': 'text/plain' },
  })
  const main = await ada.main(post.page)
  t.match(
    main,
    new RegExp(
      `href="${post.path}/attachments/${file.json.id}"><bdi>notes.txt</bdi></a> <small>5 bytes, text/plain`,
    ),
  )
  writeFileSync(workroom.at('documents/release-plan.sync-conflict-20260601-120000-ABCDEFG.md'), '# Other\n')
  await workroom.scan()
  t.match(await ada.main(plan.page), /Conflict copies[\s\S]*release-plan\.sync-conflict/)
})

t.test('a file that takes too long to render is shown as plain text', async (t) => {
  const deep = await put('docs/deep.md', `# Too deep\n\n${'>'.repeat(20_000)} here\n`)
  const main = await ada.main(deep.page)
  t.match(main, '<h1><bdi>Too deep</bdi></h1>')
  t.match(main, /takes too long to render[\s\S]*<pre class="plain"/)
})
