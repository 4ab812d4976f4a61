import t from 'tap'
import { docs, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const { request, clock } = workroom

interface Row {
  id: string
  title: string
}
const page = async (query: string) => (await request('GET', `${docs}?${query}`)).json
const titles = ({ documents }: { documents: Row[] }) => documents.map(({ title }) => title)

for (let n = 0; n < 7; n++) {
  await workroom.put(`Page ${n}`)
  // Two with the same time, in the order of their ids.
  if (n % 2 === 0) clock.advance(1000)
}
const whole = (await request('GET', docs)).json

t.test('all pages of a list together are the whole list, in its order', async (t) => {
  for (const limit of [1, 2, 3, whole.documents.length, 1000]) {
    const rows: Row[] = []
    let answer = await page(`limit=${limit}`)
    for (;;) {
      t.equal(answer.project, 'general')
      t.ok(answer.documents.length <= limit)
      rows.push(...answer.documents)
      if (answer.nextCursor === null) break
      answer = await page(`limit=${limit}&cursor=${answer.nextCursor}`)
    }
    t.strictSame(rows, whole.documents)
  }
  t.strictSame(Object.keys(whole), ['project', 'documents'], 'the whole list has no cursor')
  t.strictSame(await page(`cursor=${(await page('limit=2')).nextCursor}`), {
    project: 'general',
    documents: whole.documents.slice(2),
    nextCursor: null,
  })
  const library = '/v1/fs/projects/general/library/documents'
  t.strictSame((await request('GET', `${library}?limit=2`)).json, await page('limit=2'))
})

t.test('documents that are added or removed between pages move no other document', async (t) => {
  const before = titles(whole)
  const first = await page('limit=3')
  clock.advance(1000)
  await workroom.put('Made meanwhile')
  const last = first.documents.at(-1)
  await request('DELETE', last.path)
  await request('DELETE', whole.documents[4].path)
  const rest = await page(`cursor=${first.nextCursor}`)
  t.strictSame(
    titles(rest),
    before.filter((_, index) => index > 2 && index !== 4),
    'also after the document of the cursor was deleted',
  )
})

t.test('an invalid limit or cursor is refused, as is a cursor of another list', async (t) => {
  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'cursor=',
    'cursor=x',
  ]) {
    t.equal((await request('GET', `${docs}?${query}`)).status, 400, query)
  }
  const { nextCursor } = await page('limit=1')
  const { json: other } = await request('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  const response = await request('GET', `/v1/fs/projects/${other.slug}/docs?cursor=${nextCursor}`)
  t.equal(response.json.error, 'bad_request')
  const post = await request('POST', '/v1/projects/general/posts', { body: { title: 'Post', body: 'Text.' } })
  t.equal((await request('GET', `${docs}?cursor=1-${post.json.post._id}`)).status, 400)
  t.equal((await request('GET', `${docs}?page=2`)).status, 422, 'an unknown parameter')
})

t.test('a page is refused to somebody outside of the project', async (t) => {
  const { key } = await workroom.addMember({ name: 'Eve', type: 'human' })
  t.equal((await request('GET', `${docs}?limit=1`, { key })).status, 403)
})
