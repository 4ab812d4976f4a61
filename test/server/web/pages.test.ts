import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { code } from '../../../server/web/code.ts'
import { diffView } from '../../../server/web/pulls/diff.ts'
import { pageForPath } from '../../../server/web/repository-links.ts'
import { openSample } from '../../support/sample-workspace.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const sample = await openSample(t)
const { people, workspace } = sample
const { ada, grace, linus, scout, reviewer } = people
const stranger = await sample.addMember({ name: 'Sam', type: 'human' })
const signedIn = (key: string) => new ScriptlessBrowser(sample).signIn(key)
const [asAda, asGrace, asLinus, asScout, asSam] = [
  await signedIn(ada.key),
  await signedIn(grace.key),
  await signedIn(linus.key),
  await signedIn(scout.key),
  await signedIn(stranger.key),
]
const nobody = new ScriptlessBrowser(sample)
const project = '/projects/harbour'

/** The pages of a project, each with a pattern of what it shows. */
const ofProject: [path: string, shows: RegExp][] = [
  ['files', /berths\.csv<\/bdi><\/a><br>\n<small>\d+ bytes · text\/csv · /],
  ['files/berths.csv', /^berth,depth/],
  ['links', /<a href="https:\/\/tides\.example\/rules"[^>]*>Tide rules<\/a>: why the tide decides/],
  ['repositories', /<bdi>app<\/bdi><\/a> <span class="tag">pull requests<\/span>/],
  ['repositories/app', /<bdi>src<\/bdi>\/<\/a>[\s\S]*README\.md[\s\S]*Reads the tide table once a day\./],
  ['repositories/app/src', /<h1><bdi>src<\/bdi>[\s\S]*tides\.ts/],
  ['repositories/app/src/tides.ts', /id="L3" href="#L3"[\s\S]*<span class="hljs-keyword">import<\/span>/],
  ['repositories/app/README.md', /<h2 id="harbour"[^>]*>Harbour<\/h2>/],
  ['repositories/app/README.md?source', /<pre class="numbers"/],
  ['repositories/app/logo.png', /This is not a text file\./],
  ['pulls', /#31 <bdi>Read the tide table[\s\S]*draft<\/span>[\s\S]*merged<\/span>/],
  [
    'pulls/31',
    /board\/4"><span class="card-number">4[\s\S]*<strong>once<\/strong>[\s\S]*\+5[\s\S]*class="added"/,
  ],
  ['skills', /<bdi>release-notes<\/bdi>[\s\S]*Version 1/],
  ['skills/release-notes', /<li[^>]*>Read\.<\/li>[\s\S]*scripts\/run\.sh[\s\S]*Save draft/],
  ['skills/release-notes/scripts/run.sh', /href="#L2"[\s\S]*done/],
  ['trash', /Restore/],
  ['settings', /<bdi>Linus Berg<\/bdi>/],
]
const ofWorkspace: [path: string, shows: RegExp][] = [
  ['/', /<h2 id="mentions">[\s\S]*<h2 id="asks">[\s\S]*<h2 id="rooms">[\s\S]*<h2 id="written">/],
  ['/inbox', /Mark all as read/],
  ['/search?q=tide', /<mark>[Tt]ide<\/mark>/],
  ['/projects', /Archived \(1\)/],
  ['/members', /<h2 id="agents">[\s\S]*<bdi>Scout<\/bdi>/],
  [`/members/${grace.member.id}`, /<p class="lead"><bdi>On call<\/bdi>/],
  ['/account', /Room notifications/],
]
const forAdmins: [path: string, shows: RegExp][] = [
  ['/invites', /For a person, as member[\s\S]*3 uses left/],
  ['/usage', /<bdi>harbour<\/bdi>[\s\S]*1 failed/],
]

t.test('every page opens for those who may read it, and for nobody else', async (t) => {
  for (const [part, shows] of ofProject) {
    const path = `${project}/${part}`
    const read = async (browser: ScriptlessBrowser) => {
      const { status, text } = await browser.open(path)
      return [status, shows.test(text) || /<main[\s\S]*<\/main>/.exec(text)?.[0]]
    }
    t.same(await read(asAda), [200, true], path)
    t.equal((await asLinus.open(path)).status, 200, path)
    const refused = await asSam.open(path)
    t.match(
      [refused.status, refused.text],
      [403, /<nav id="navigation"[\s\S]*You are not a member of the project/],
    )
    t.match(refused.text, '<h1>Not allowed</h1>')
    t.match(await nobody.open(path), {
      status: 303,
      headers: { location: `/signin?next=${encodeURIComponent(path)}` },
    })
  }
  for (const [path, shows] of ofWorkspace) {
    t.match(await asAda.main(path), shows)
    for (const browser of [asLinus, asScout, asSam]) t.equal((await browser.open(path)).status, 200, path)
    t.equal((await nobody.open(path)).status, 303, path)
  }
  for (const [path, shows] of forAdmins) {
    t.match(await asAda.main(path), shows)
    t.match(await asGrace.main(path), shows)
    for (const browser of [asLinus, asScout]) t.equal((await browser.open(path)).status, 403, path)
    t.equal((await nobody.open(path)).status, 303, path)
  }
  for (const path of [
    '/projects/nothing/files',
    `${project}/files/nothing.txt`,
    `${project}/files/..%2F..%2FREADME.md`,
    `${project}/repositories/nothing`,
    `${project}/repositories/app/nothing`,
    `${project}/pulls/99`,
    `${project}/skills/nothing`,
    '/members/mem_nothing',
    '/nothing',
  ]) {
    const { status, text } = await asAda.open(path)
    t.match([status, text], [404, /<nav id="navigation"[\s\S]*<h1>Not found<\/h1>/], path)
  }
  t.match((await asAda.open('/nothing')).text, 'There is no page at this address.')
})

t.test('nobody is offered an action that they may not take', async (t) => {
  const seen = async (path: string, browser: ScriptlessBrowser, words: RegExp) =>
    words.test(await browser.main(path))
  const cases: [path: string, words: RegExp, may: ScriptlessBrowser[], mayNot: ScriptlessBrowser[]][] = [
    ['/members', /data-call="POST \/api\/members"/, [asAda, asGrace], [asLinus, asScout]],
    [`/members/${linus.member.id}`, /<h2 id="keys-title">/, [asAda, asGrace], [asLinus, asScout]],
    [`/members/${ada.member.id}`, /<h2 id="standing-title">/, [asAda], [asGrace, asLinus]],
    [`/members/${scout.member.id}`, /<h2 id="webhook-title">/, [asAda, asGrace], [asLinus]],
    [`/members/${scout.member.id}`, /Owner/, [asAda, asGrace, asScout], [asLinus]],
    [`/members/${reviewer.member.id}`, /Add to a project/, [asAda], [asLinus]],
    [`${project}/settings`, /Archive this project/, [asAda, asGrace], [asLinus, asScout]],
    [`${project}/settings`, />Leave</, [asAda, asLinus], []],
    [`${project}/files`, /data-call="DELETE/, [asAda, asGrace], [asLinus]],
    [`${project}/files`, /Upload files/, [asLinus, asScout], []],
    [`${project}/repositories`, /Link a repository/, [asAda, asGrace], [asLinus]],
    ['/account', /href="\/account\/keys"/, [asAda, asLinus], [asScout]],
    ['/account', /Email notifications/, [asLinus], [asScout]],
  ]
  for (const [path, words, may, mayNot] of cases) {
    for (const browser of may) t.equal(await seen(path, browser, words), true, `${path} ${words}`)
    for (const browser of mayNot) t.equal(await seen(path, browser, words), false, `${path} ${words}`)
  }
  for (const part of ['files', 'links', 'skills', 'trash', 'repositories']) {
    t.notMatch(
      await asAda.main(`/projects/old-website/${part}`),
      /data-call|type="file"/,
      `${part} of an archived project`,
    )
  }
  t.match(await asAda.main('/projects/old-website/settings'), 'Reopen')
})

t.test(
  'a member’s page lists their projects, agents and deliveries, and the sidebar counts what is unread',
  async (t) => {
    const graces = await asAda.main(`/members/${grace.member.id}`)
    t.match(graces, new RegExp(`<dt>Agents</dt><dd><a href="/members/${scout.member.id}"><bdi>Scout`))
    t.match(graces, /<a href="\/projects\/harbour"><bdi>Harbour/)
    const agents = await asAda.main(`/members/${reviewer.member.id}`)
    t.match(agents, new RegExp(`<a href="/members/${grace.member.id}"><bdi>Grace Hopper`))
    t.match(agents, /failed<\/span>[\s\S]*<td>5<\/td><td>503<\/td>[\s\S]*Redeliver/)
    t.match(await asAda.main('/members'), /Deactivated \(1\)[\s\S]*Tom Former/)
    t.notMatch(await asLinus.main('/members'), 'Tom Former')
    const { text } = await asAda.open('/account')
    const caller = (await workspace.stores.members.authenticate(ada.key))!
    const mentions = workspace.inbox.homeFeed.mentionCount(caller)
    const notices = workspace.inbox.homeFeed.noticeCounts(caller)
    const count = mentions + notices.all
    t.ok(mentions > 0 && notices.direct > 0 && notices.all > notices.direct)
    t.match(text, `Inbox</span><span class="count">${count}<span class="unseen"> unread`)
    t.match(text, `data-unread="${count}"`, 'direct messages are counted once')
  },
)

t.test('files are listed in their folders, and links with special characters open them', async (t) => {
  const folder = join(sample.home, 'projects/harbour/files/plans & <b>')
  mkdirSync(folder)
  writeFileSync(join(folder, 'a "b" #1.html'), '<script>1</script>')
  const main = await asAda.main(`${project}/files`)
  t.match(main, /<summary><bdi>plans &amp; &lt;b&gt;<\/bdi> <small[^>]*>1<\/small>/)
  const href = `${project}/files/plans%20%26%20%3Cb%3E/a%20%22b%22%20%231.html`
  t.match(main, `href="${href}"`)
  t.match(await asLinus.open(href), {
    status: 200,
    text: '<script>1</script>',
    headers: {
      'content-disposition': /^attachment/,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  })
  t.match(
    await asAda.main(`${project}/files?folder=plans+%26+%3Cb%3E`),
    /All files<\/a> \/ [\s\S]*a &quot;b&quot; #1\.html/,
  )
})

t.test(
  'a repository’s markdown file links within the repository, with headings below the page’s own',
  async (t) => {
    const body = `---
a: 1
---
# One

###### Six <h1>

[a](../src/x.ts#L3) [c](../../../out) [d](https://x.example/) [[Style]] [e](//evil.example) ![f](g.png)
soft [[c:1]]
`
    const pageOf = pageForPath('/projects/p/repositories/app', 'docs/read me.md')
    const shown = await workspace.rendering.foreignFiles.html(Buffer.from(body), pageOf)
    t.match(shown, /^<h2 id="one"[^>]*>One<\/h2>\n<h6[^>]*>Six &#x3C;h1><\/h6>/)
    const links = [...shown.matchAll(/<a (?:[^>]*?)href="([^"]*)"/g)].map(([, href]) => href)
    const app = '/projects/p/repositories/app'
    t.same(links, [`${app}/src/x.ts#L3`, `${app}/out`, 'https://x.example/', `${app}/docs/g.png`])
    t.match(shown, /<a>\[\[Style\]\]<\/a>/)
    t.notMatch(shown, /<br|<img|a: 1/)
  },
)

t.test('texts and diffs that are too long are cut, and the page says so', async (t) => {
  const caller = (await workspace.stores.members.authenticate(ada.key))!
  const shown = async (text: string) => (await code(workspace, caller, 'x.ts', text)).text
  const long = await shown('let a\n'.repeat(10_001))
  t.notMatch(long, 'class="numbers"')
  t.match(await shown('let a'), /class="numbers"[\s\S]*hljs-keyword/)
  t.notMatch(await shown(`let a = '${'x'.repeat(140_000)}'`), 'hljs')
  t.match(await shown('```\n</pre><script>\n'), /&#x3C;\/pre>&#x3C;script>/)

  const fileDiff = (name: string, lines: number) =>
    `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -1,${lines} +1,${lines} @@\n${' same\n'.repeat(lines)}`
  const diffOf = (diff: string | null, isCut = 0) =>
    diffView({ diff: { diff, isCut, diffOf: '' } as never, isDiffOld: false, problem: null }).text
  const rest = 'The rest is not shown.'
  t.match(diffOf(fileDiff('one', 2)), /<p[^>]*>1 file changed[\s\S]*<details[^>]* open/)
  const folded = diffOf(fileDiff('one', 500))
  t.match(folded, /<details class="changed-file" id="changed-one">/)
  t.notMatch(folded, rest)
  const many = diffOf(fileDiff('one', 2900) + fileDiff('two', 200) + fileDiff('three', 10))
  t.match(many, rest)
  t.equal(many.match(/<tr class="same">/g)!.length, 3000)
  t.notMatch(many, 'changed-three')
  const cut = diffOf(`${fileDiff('one', 2)}${fileDiff('two', 9)}`.slice(0, -20), 1)
  t.match(cut, rest)
  t.match(cut, 'changed-one')
  t.notMatch(cut, 'changed-two', 'a file whose diff is cut short is left out')
  t.match(diffOf('@@ -1 +1 @@\nwhat is this'), /<pre class="plain-difference">@@ -1/)
  t.match(diffOf(null), 'The diff is too large for the forge to show.')
  t.match(
    diffView({ diff: null, isDiffOld: false, problem: 'no answer' }).text,
    'not available yet: no answer',
  )
})

t.test('the owner of a new workspace is shown the first steps', async (t) => {
  t.notMatch(await asAda.main('/'), 'Get started')
  const fresh = await startWorkroom(t)
  const browser = await new ScriptlessBrowser(fresh).signIn(fresh.owner.key)
  const first = await browser.open('/')
  t.match(first.text, /Get started[\s\S]*projects\/general\/new\?kind=document/)
  t.match(first.text, `${fresh.url}/v1/fs</code>`)
  await fresh.addMember({ name: 'Bot', type: 'agent' })
  t.match((await browser.open('/')).text, 'You’re all caught up.')
  for (const [path, words] of [
    ['/inbox', 'You’re all caught up.'],
    ['/search', 'the text of documents, posts, cards, comments and messages'],
    ['/search?q=zeppelin', 'No results for these words.'],
    ['/invites', 'No open invites.'],
    ['/projects/general/files', 'No files yet.'],
    ['/projects/general/links', 'No links yet.'],
    ['/projects/general/repositories', 'No repositories linked.'],
    ['/projects/general/pulls', 'No forge linked.'],
    ['/projects/general/skills', 'No skills yet.'],
    ['/projects/general/trash', 'The trash is empty.'],
  ] as const)
    t.match((await browser.open(path)).text, words)
})
