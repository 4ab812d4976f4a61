import t from 'tap'
import { openPages, pages } from '../../support/open-pages.ts'
import { remove } from '../../support/project-folder.ts'

const { workroom, ada, put } = await openPages(t)
const { owner, workspace } = workroom
const caller = { member: owner.member, keyId: 'none', scopes: new Set(['*'] as const) }

await put('docs/plan.md', '# Release plan\n\nText.\n')
await put('docs/guides/setup.md', '# Set up\n')
await put('docs/guides/deep/well.md', '# The well\n')
const rules = await put('posts/pinned.md', '# The rules of the house\n')
await put('posts/later.md', '# Something later\n')
await workspace.projects.create(caller, { name: 'Empty', slug: 'empty' })

t.test('lists show folders as a tree and pinned posts first, and explain what belongs there', async (t) => {
  const documents = await ada.main(`${pages}/docs`)
  t.match(
    documents,
    /id="folder-guides" open>[\s\S]*id="folder-guides\/deep" open>[\s\S]*The well[\s\S]*Set up[\s\S]*Release plan/,
  )
  t.match(documents, `href="${pages}/new?kind=document"`)
  const folder = await ada.main(`${pages}/docs?folder=guides%2Fdeep`)
  t.match(folder, /docs\?folder=guides"[\s\S]*The well/)
  t.notMatch(folder, 'Release plan')
  t.match(await ada.main(`${pages}/docs?folder=no/such`), 'Folder not found.')

  await workroom.request('POST', `/v1/posts/${rules.id}/pin`)
  const posts = await ada.main(`${pages}/posts`)
  t.match(posts, /The rules of the house<\/bdi><\/a> <span class="tag good">Pinned[\s\S]*Something later/)
  t.match(await ada.main(`${pages}/posts?page=7`), 'Something later')

  t.match(await ada.main('/projects/empty/posts'), /No posts yet[\s\S]*A post announces/)
  t.match(await ada.main('/projects/empty/docs'), /No documents yet/)
})

t.test('a project’s page shows its README, and beside it what is new', async (t) => {
  workroom.write('README.md', '# Our house\n\nRead [[Release plan]] first.\n')
  await workroom.scan()
  const asked = await workroom.request('POST', '/api/asks', {
    body: { project: 'general', title: 'Who brings cake?', kind: 'work' },
  })
  const main = await ada.main(pages)
  t.match(main, />Our house<\/h1>[\s\S]*href="\/projects\/general\/docs\/release-plan"/)
  t.match(main, /Posts<\/a>[\s\S]*Something later/)
  t.match(main, /Documents<\/a>[\s\S]*The well/)
  t.match(main, new RegExp(`id="${asked.json.askId}"[\\s\\S]*Who brings cake\\?`))
  t.match(main, /People<\/a>[\s\S]*Grace Hopper/)
  t.match(await ada.main('/projects/empty'), /No open asks/)
})

t.test('an archived project can be read, and offers no change', async (t) => {
  await workspace.projects.create(caller, { name: 'Past', slug: 'past' })
  const write = (path: string, text: string) =>
    workroom.request('PUT', `/v1/fs/projects/past/${path}`, { body: text })
  await write('docs/was.md', '# Was\n')
  await write('posts/was.md', '# Was said\n')
  t.equal((await workroom.request('PATCH', '/v1/projects/past', { body: { archived: true } })).status, 200)
  const { posts } = (await workroom.request('GET', '/v1/fs/projects/past/posts')).json
  for (const path of ['/projects/past/docs/was', new URL(posts[0].url).pathname, '/projects/past/docs']) {
    const main = await ada.main(path)
    t.match(main, 'This project is archived', path)
    t.notMatch(main, /data-call|>Edit<|\/new\?/)
  }
})

t.test('untracked markdown files are listed on the project’s page, and logged once', async (t) => {
  const warnings = () => workroom.log.lines.filter(({ message }) => message.includes('not a document'))
  t.notMatch(await ada.main(pages), 'Untracked files')
  workroom.write('doc.md', '# Doc\n')
  workroom.write('posts/sub/deep.md', '# Deep\n')
  workroom.write('board/05-later/card.md', '# Card\n')
  workroom.write('drafts/secret-plan.md', '# Secret\n')
  // The watcher's hints are enough to find them; no scan is requested.
  const main = await workroom.eventually(async () => {
    const shown = await ada.main(pages)
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
  t.notMatch(await ada.main(pages), 'Untracked files')
})
