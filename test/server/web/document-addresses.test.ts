import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openPages, pages, tree } from '../../support/open-pages.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const { workroom, grace, ada, gracesBrowser, put } = await openPages(t)
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const strangers = await new ScriptlessBrowser(workroom).signIn(stranger.key)

const plan = await put('docs/plan.md', '# Release plan\n\nText.\n')

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
  t.match(await ada.main(nested.page), '>How to</h1>')
})

t.test('the address that a new document was written to leads to the page of its title', async (t) => {
  const { page } = await put('docs/long.md', '# Tides of May\n\nHigh water.\n')
  t.equal(page, '/projects/general/docs/tides-of-may')
  for (const address of ['docs/long', 'docs/long.md'])
    t.match(await ada.open(`${pages}/${address}`), { status: 303, headers: { location: page } }, address)
  await put('docs/long.md', '# Tides of May\n\nLow water.\n')
  t.match(await ada.main(page), 'Low water.', 'it still writes to that document')
})

t.test('an address that a document once had redirects to where its file is now', async (t) => {
  const onDisk = (path: string) => join(workroom.home, 'projects/general', path)
  const leadsTo = async (page: string, browser = ada) => {
    const { status, headers } = await browser.open(page)
    return headers.location ?? status
  }
  const first = `${pages}/docs/first-place`
  writeFileSync(onDisk('documents/first-place.md'), '# What moves\n\nText.\n')
  t.match(await ada.main(first), 'What moves')
  renameSync(onDisk('documents/first-place.md'), onDisk('documents/there.md'))
  t.equal(await leadsTo(`${first}?history`), `${pages}/docs/there?history`, 'moved on the disk')
  mkdirSync(onDisk('documents/places'))
  renameSync(onDisk('documents/there.md'), onDisk('documents/places/elsewhere.md'))
  const now = `${pages}/docs/places/elsewhere`
  t.same(await Promise.all([leadsTo(first), leadsTo(`${pages}/docs/there`)]), [now, now], 'moved twice')
  t.equal((await workroom.request('GET', `${tree}/docs/first-place.md`)).status, 404, 'no redirect in /v1/fs')
  await put('docs/first-place.md', '# First place\n\nAnother.\n')
  t.match(await ada.main(first), 'Another.', 'a new document at the old address comes first')
  workroom.clock.advance(20 * 24 * 3_600_000)
  t.equal(await leadsTo(`${pages}/docs/there`), now, 'the redirect still works after 20 days')
  await workroom.request('DELETE', `${tree}/docs/places/elsewhere.md`)
  t.equal(await leadsTo(`${pages}/docs/there`), 404, 'it is in the trash')

  const draft = await put('drafts/secret-news.md', '# Secret news\n\nText.\n')
  const graces = await put('drafts/secret-news.md', '# Secret news\n\nOther text.\n', grace.key)
  t.equal(graces.page, draft.page)
  const { json } = await workroom.request('POST', `${draft.path}/_publish`)
  t.equal(await leadsTo(draft.page), new URL(json.url).pathname, 'published')
  t.match(await gracesBrowser.main(draft.page), 'Other text.')
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
