import { rmSync } from 'node:fs'
import t from 'tap'
import { openChat } from '../../support/chat.ts'

const room = await openChat(t)
const { request, owner, clock } = room
const general = '/v1/fs/projects/general'
const grace = await room.person('Grace', 'general')
const stranger = await room.person('Stranger')

interface Row {
  id: string
  filename: string
  title: string
}

const succeed = async (method: string, path: string, options = {}) => {
  const response = await request(method, path, options)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.json
}
const put = (path: string, title: string, key = owner.key): Promise<Row> => {
  clock.advance(1000)
  return succeed('PUT', encodeURI(`${general}/${path}`), { body: `# ${title}\n\nText.\n`, key })
}
const rowsOf = (json: Record<string, Row[]>): Row[] => json.documents ?? json.posts ?? json.cards!
const titles = (rows: Row[]) => rows.map(({ title }) => title)

/** @param between is called after each page */
async function paged(list: string, limit: number, between: (page: number) => unknown = () => {}) {
  const rows: Row[] = []
  let cursor: string | null = null
  for (let page = 1; page === 1 || cursor !== null; page++) {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`
    const json = await succeed('GET', `${list}?limit=${limit}${next}`)
    if (rowsOf(json).length > limit) throw new Error(`A page has more than ${limit} rows.`)
    rows.push(...rowsOf(json))
    cursor = json.nextCursor
    await between(page)
  }
  return rows
}

for (let n = 0; n < 7; n++) {
  await put(`docs/guides/Guide ${n}.md`, `Guide ${n}`)
  await put(`posts/Post ${n}.md`, `Post ${n}`)
  await put(`drafts/Draft ${n}.md`, `Draft ${n}`)
  await put(`board/todo/Card ${n}.md`, `Card ${n}`)
}
await put('drafts/Of Grace.md', 'Of Grace', grace.key)

for (const list of ['docs', 'library/documents', 'docs/guides', 'posts', 'drafts', 'board/todo']) {
  t.test(`all pages of ${list} together are the whole list, in its order`, async (t) => {
    const whole = await succeed('GET', `${general}/${list}`)
    t.notOk('nextCursor' in whole)
    t.ok(rowsOf(whole).length >= 7)
    for (const limit of [1, 3, 7, 1000]) {
      t.strictSame(await paged(`${general}/${list}`, limit), rowsOf(whole))
    }
  })
}

t.test(
  'a page has the fields of the whole list and a nextCursor, which is null on the last page',
  async (t) => {
    const { documents, nextCursor, ...whole } = await succeed('GET', `${general}/docs/guides`)
    const {
      documents: first,
      nextCursor: next,
      ...page
    } = await succeed('GET', `${general}/docs/guides?limit=2`)
    t.equal(nextCursor, undefined)
    t.strictSame(page, whole)
    t.strictSame(first, documents.slice(0, 2))
    t.type(next, 'string')
    t.strictSame(await succeed('GET', `${general}/docs/guides?cursor=${next}`), {
      ...whole,
      documents: documents.slice(2),
      nextCursor: null,
    })
  },
)

t.test(
  'each document is listed once while others are created, deleted and removed from the disk',
  async (t) => {
    const folder = `${general}/docs/moving`
    for (let n = 0; n < 12; n++) await put(`docs/moving/Stays ${n}.md`, `Stays ${n}`)
    const leaving = await Promise.all([0, 1, 2].map((n) => put(`docs/moving/Leaves ${n}.md`, `Leaves ${n}`)))
    const rows = await paged(folder, 4, async (page) => {
      await put(`docs/moving/New ${page}.md`, `New ${page}`)
      if (page === 1) await succeed('DELETE', `${general}/docs/${encodeURI(leaving[0]!.filename)}`)
      if (page === 2) rmSync(`${room.home}/projects/general/documents/${leaving[1]!.filename}`)
    })
    const stayed = titles(rows).filter((title) => title.startsWith('Stays'))
    t.strictSame(
      stayed,
      Array.from({ length: 12 }, (_, n) => `Stays ${11 - n}`),
    )
  },
)

t.test('a cursor continues the list also after its own document was deleted or moved', async (t) => {
  const made: Row[] = []
  for (let n = 0; n < 4; n++) made.push(await put(`docs/cut/Cut ${n}.md`, `Cut ${n}`))
  const { nextCursor } = await succeed('GET', `${general}/docs/cut?limit=2`)
  await succeed('DELETE', `${general}/docs/${made[2]!.filename}`)
  const { documents } = await succeed('GET', `${general}/docs/cut?cursor=${nextCursor}`)
  t.strictSame(titles(documents), ['Cut 1', 'Cut 0'])
})

t.test('pages show a member’s own drafts, and nothing to those outside of the project', async (t) => {
  const { posts, nextCursor } = await succeed('GET', `${general}/drafts?limit=5`, { key: grace.key })
  t.strictSame(titles(posts), ['Of Grace'])
  t.equal(nextCursor, null)
  const own = await succeed('GET', `${general}/drafts?limit=5`)
  const others = await request('GET', `${general}/drafts?cursor=${own.nextCursor}`, { key: grace.key })
  t.equal(others.status, 400, 'the cursor of another member’s drafts')
  for (const list of ['docs', 'docs/guides', 'posts', 'drafts', 'board/todo']) {
    const whole = await request('GET', `${general}/${list}`, { key: stranger.key })
    const page = await request('GET', `${general}/${list}?limit=1`, { key: stranger.key })
    t.ok(page.status >= 400)
    t.equal(page.status, whole.status)
  }
})

t.test('a cursor of another list, a damaged one and an invalid limit are refused', async (t) => {
  const { nextCursor: ofDocs } = await succeed('GET', `${general}/docs?limit=1`)
  const { nextCursor: ofPosts } = await succeed('GET', `${general}/posts?limit=1`)
  for (const path of [
    `docs?cursor=${ofPosts}`,
    `posts?cursor=${ofDocs}`,
    `docs/guides?cursor=${ofDocs}`,
    `board/todo?cursor=${ofDocs}`,
    'docs?cursor=x',
    `docs?cursor=${ofDocs.slice(3)}`,
    `docs?cursor=${Buffer.from('[1,2,3]').toString('base64url')}`,
    'docs?limit=0',
    'docs?limit=-1',
    'posts?limit=1.5',
    'drafts?limit=',
    'board/todo?limit=ten',
    'docs?limit=1&limit=2',
  ]) {
    const { status, json } = await request('GET', `${general}/${path}`)
    t.equal(status, 400, path)
    t.match(json, { error: 'bad_request', message: /cursor|limit/ }, path)
  }
})

t.test('a limit above 1,000 counts as 1,000', async (t) => {
  const { documents, nextCursor } = await succeed('GET', `${general}/docs/guides?limit=1000000`)
  t.equal(documents.length, 7)
  t.equal(nextCursor, null)
})

t.test('a file and a list without pages take neither limit nor cursor', async (t) => {
  for (const path of ['docs/guides/guide-1.md?limit=1', 'docs/guides/guide-1.md?cursor=x', 'board?limit=1']) {
    t.equal((await request('GET', `${general}/${path}`)).status, 422, path)
  }
  t.equal((await request('GET', `${general}/docs/nowhere?limit=1`)).status, 404)
})
