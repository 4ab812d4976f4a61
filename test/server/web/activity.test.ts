import { writeFileSync } from 'node:fs'
import t from 'tap'
import { openProjectFolder } from '../../support/project-folder.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const workroom = await openProjectFolder(t)
const { clock, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await new ScriptlessBrowser(workroom).signIn(workroom.owner.key)
const tree = '/v1/fs/projects/general'

async function call(method: string, path: string, body?: unknown, key = workroom.owner.key) {
  clock.advance(60_000)
  const response = await request(method, path, { key, ...(body !== undefined && { body }) })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.json
}

/** The entries of a page as plain text, newest first. */
async function activity(page: string): Promise<string[]> {
  const { text } = await ada.open(page)
  const [list = ''] = /<ol class="activity-list">[\s\S]*?<\/ol>/.exec(text) ?? []
  return [...list.matchAll(/<li>([\s\S]*?)<small>/g)].map(([, entry]) =>
    entry!.replaceAll(/<[^>]*>/g, '').trim(),
  )
}

const card = (title: string, fields: string, tasks: string) =>
  `---\n${fields}\n---\n\n# ${title}\n\nPaint it.\n\n${tasks}\n`

t.test('the activity of a card lists who changed what since the card was created', async (t) => {
  const body = card('Mast', 'priority: low', '- [ ] sand')
  const { url } = await call('PUT', `${tree}/board/02-todo/mast.md`, body)
  const page = new URL(url).pathname
  const path = `${tree}/board/02-todo/${page.split('/').at(-1)}`
  const put = (body: string) => call('PUT', path, body, grace.key)
  await put(card('Mast', 'priority: low\nassignees: [Grace]\ndue: 2027-01-02', '- [ ] sand'))
  await put(card('The mast', 'priority: low\nassignees: [Grace]\ndue: 2027-01-02', '- [x] sand'))
  await put(card('The mast', 'priority: low\nassignees: [Grace]', '- [ ] sand\n\nAnd varnish.'))
  // By then the events of these writes are no longer in the log.
  clock.advance(10 * 24 * 60 * 60 * 1000)
  const { path: moved, id } = await call('POST', `${path}/_move`, { toColumn: '03-in-progress' })
  await call('POST', `/v1/documents/${id}/comments`, { body: 'Which colour?' })
  await call('DELETE', moved)
  await call('POST', `${tree}/trash/${id}/_restore`)
  const entries = await activity(`${page}?activity`)
  t.strictSame(entries, [
    'Ada restored it from the trash',
    'Ada moved it to the trash',
    'Ada commented',
    'Ada moved it from To do to In progress',
    'Grace removed the due date, reopened “sand” and edited the text',
    'Grace renamed it from “Mast” and ticked “sand”',
    'Grace assigned Grace and set the due date to 2027-01-02',
    'Ada created it',
  ])
  t.strictSame(await activity(page), entries, 'the page of the card ends with the same entries')
})

t.test('a document’s activity merges edits by sitting, has pages, and includes disk edits', async (t) => {
  const { path, id, url } = await call('PUT', `${tree}/docs/log.md`, '# Log\n\nA line.\n')
  for (let line = 0; line < 12; line++) await call('PUT', path, `# Log\n\nLine ${line}.\n`)
  const page = new URL(url).pathname
  t.strictSame(await activity(page), ['Ada edited the text'], 'the page shows the sitting as one entry')
  t.match((await ada.open(page)).text, '?activity">Show all activity')
  t.strictSame(await activity(`${page}?activity`), ['Ada edited the text', 'Ada created it'])
  clock.advance(60_000)
  writeFileSync(workroom.at('documents/log.md'), '# Log\n\nBy hand.\n')
  await request('GET', path)
  const moved = await call('POST', `${path}/_move`, { toFolder: 'old/logs' }, grace.key)
  const now = new URL(moved.url).pathname
  t.strictSame((await activity(now)).slice(0, 2), [
    'Grace moved it from log.md to old/logs/log.md',
    'Ada edited the text on disk',
  ])
  for (let at = 0; at < 60; at++) {
    clock.advance(40 * 60_000)
    await call('POST', `/v1/documents/${id}/comments`, { body: `Remark ${at}` })
  }
  const [first, second] = [await activity(`${now}?activity`), await activity(`${now}?activity&page=2`)]
  t.equal(first.length, 50)
  t.match((await ada.open(`${now}?activity`)).text, '?activity&page=2">Older')
  t.strictSame(second.slice(0, 11), [
    ...Array.from({ length: 10 }, () => 'Ada commented'),
    'Grace moved it from log.md to old/logs/log.md',
  ])
  t.equal(second.at(-1), 'Ada created it')
  t.match((await ada.open(`${now}?activity&page=2`)).text, '?activity&page=1">Newer')
})
