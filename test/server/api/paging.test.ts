import t from 'tap'
import { openChat } from '../../support/chat.ts'
import fc from '../../support/seeded-properties.ts'

const chat = await openChat(t)
const { call, owner, refusal } = chat
const { _id: room } = await chat.room(owner, { name: 'Long' })
const messages = `/rooms/${room}/messages`

const ids: string[] = []
for (let number = 1; number <= 120; number++) ids.push(await chat.post(owner, room, `Number ${number}`))
const newestFirst = ids.toReversed()

/** Returns the ids of all pages, from the newest to the oldest. */
async function walk(query = ''): Promise<string[][]> {
  const pages: string[][] = []
  let cursor = ''
  for (;;) {
    const { page, continueCursor, isDone } = await chat.page(owner, room, `${query}&cursor=${cursor}`)
    pages.push(page.map(({ _id }) => _id))
    if (isDone) return pages
    cursor = continueCursor
  }
}

t.test('a page has 50 messages, newest first, and the next page continues it', async (t) => {
  const pages = await walk()
  t.strictSame(
    pages.map((page) => page.length),
    [50, 50, 20],
  )
  t.strictSame(pages.flat(), newestFirst)
})

t.test('limit is 1 to 100, and a larger one counts as 100', async (t) => {
  for (const [limit, length] of [
    ['1', 1],
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['99999999999999999999999', 100],
    ['007', 7],
  ] as const)
    t.equal((await chat.page(owner, room, `limit=${limit}`)).page.length, length, limit)
  for (const limit of ['0', '-1', '1.5', 'ten', '', ' 5', '1e2', '0x10', '%2B5', '٥'])
    t.match(await refusal(owner, 'GET', `${messages}?limit=${encodeURI(limit)}`), [400, /limit/], limit)
  t.match(await refusal(owner, 'GET', `${messages}?limit=5&limit=6`), [400, /limit/])
})

t.test('isDone is true exactly if there is nothing older', async (t) => {
  const last = await chat.page(owner, room, `limit=20&cursor=${ids[20]}`)
  t.strictSame([last.page.length, last.isDone], [20, true])
  const before = await chat.page(owner, room, `limit=19&cursor=${ids[20]}`)
  t.strictSame([before.page.length, before.isDone], [19, false])
  t.strictSame(await chat.page(owner, room, `cursor=${before.continueCursor}`), {
    page: last.page.slice(19),
    continueCursor: ids[0],
    isDone: true,
  })
})

t.test('an empty page returns the cursor that was sent', async (t) => {
  const empty = await chat.room(owner)
  t.strictSame(await chat.page(owner, empty._id), { page: [], continueCursor: '', isDone: true })
  t.strictSame(await chat.page(owner, room, `cursor=${ids[0]}`), {
    page: [],
    continueCursor: ids[0],
    isDone: true,
  })
})

t.test('a foreign or damaged cursor is 400, and an empty one counts as none', async (t) => {
  const elsewhere = await chat.room(owner)
  const foreign = await chat.post(owner, elsewhere._id, 'Elsewhere')
  const reply = await chat.post(owner, room, 'Reply', { threadId: ids[5]! })
  for (const cursor of [
    foreign,
    reply,
    'msg_nothing',
    ids[3]!.slice(0, -1),
    ids[3]!.toUpperCase(),
    room,
    '0',
  ])
    t.match(await refusal(owner, 'GET', `${messages}?cursor=${cursor}`), [400, /cursor/], cursor)
  t.match(await refusal(owner, 'GET', `${messages}?cursor=${ids[3]}&cursor=${ids[4]}`), [400, /cursor/])
  t.strictSame(await chat.page(owner, room, 'cursor='), await chat.page(owner, room))
})

t.test('a cursor stays valid when its message is deleted', async (t) => {
  const first = await chat.page(owner, room, 'limit=3')
  const next = (await chat.page(owner, room, `limit=3&cursor=${first.continueCursor}`)).page
  await chat.remove(owner, room, first.continueCursor)
  t.strictSame((await chat.page(owner, room, `limit=3&cursor=${first.continueCursor}`)).page, next)
  ids.splice(ids.indexOf(first.continueCursor), 1)
})

t.test('messages of one millisecond keep the order in which they were sent', async (t) => {
  const { _id: busy } = await chat.room(owner)
  const sent = []
  for (let number = 0; number < 5; number++) sent.push(await chat.post(owner, busy, String(number)))
  const { page } = await chat.page(owner, busy)
  t.strictSame(
    page.map(({ _id }) => _id),
    sent.toReversed(),
  )
  t.equal(new Set(page.map(({ _creationTime }) => _creationTime)).size, 1)
})

t.test('messages sent while the clock steps back keep the order in which they were sent', async (t) => {
  const { _id: confused } = await chat.room(owner)
  const sent = [await chat.post(owner, confused, 'First')]
  chat.clock.advance(-3_600_000)
  sent.push(await chat.post(owner, confused, 'Second'))
  chat.clock.advance(3_600_000)
  sent.push(await chat.post(owner, confused, 'Third'))
  t.strictSame(
    (await chat.page(owner, confused)).page.map(({ _id }) => _id),
    sent.toReversed(),
  )
})

/** What a member does in a room while others page through it. */
type Deed = { do: 'post' } | { do: 'reply' | 'delete' | 'edit'; to: number }

t.test(
  'during any posts, replies and deletions, paging loses no remaining message and repeats none',
  async (t) => {
    const deed = fc.oneof(
      { weight: 3, arbitrary: fc.record({ do: fc.constant('post' as const) }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constantFrom('reply', 'delete', 'edit'), to: fc.nat() }),
      },
    ) as fc.Arbitrary<Deed>
    let walks = 0

    /** Pages through a room, with a different limit for each page. */
    const walked = async (place: string, limits: number[]): Promise<string[]> => {
      const seen: string[] = []
      let cursor = ''
      for (let turn = 0; ; turn++) {
        const limit = limits[turn % limits.length]
        const { page, continueCursor, isDone } = await chat.page(
          owner,
          place,
          `limit=${limit}${cursor && `&cursor=${cursor}`}`,
        )
        if (page.length > limit!) throw new Error(`${page.length} messages where ${limit} were asked for`)
        if (page.some(({ threadId }) => threadId !== undefined)) throw new Error('A reply is on the page.')
        seen.push(...page.map(({ _id }) => _id))
        walks += 1
        if (isDone) return seen
        cursor = continueCursor
      }
    }

    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 25 }),
        fc.array(deed, { maxLength: 25 }),
        fc.array(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }), {
          minLength: 1,
          maxLength: 3,
        }),
        async (standing, deeds, walkers) => {
          const { _id: place } = await chat.room(owner)
          /** In the order in which they were sent. */
          const sent: string[] = []
          const post = async () => void sent.push(await chat.post(owner, place, 'x'))
          for (let number = 0; number < standing; number++) await post()
          const before = [...sent]
          const deleted = new Set<string>()
          const carryOut = async () => {
            for (const { do: what, ...target } of deeds) {
              const id = 'to' in target ? sent[target.to % Math.max(sent.length, 1)] : undefined
              if (what === 'post') await post()
              else if (id === undefined || deleted.has(id)) continue
              else if (what === 'reply') await chat.post(owner, place, 're', { threadId: id })
              else if (what === 'edit') await chat.edit(owner, place, id, 'y')
              else {
                deleted.add(id)
                await chat.remove(owner, place, id)
              }
            }
          }
          const [, ...seenByAll] = await Promise.all([
            carryOut(),
            ...walkers.map((limits) => walked(place, limits)),
          ])
          const order = new Map(sent.map((id, index) => [id, index]))
          for (const seen of seenByAll) {
            const places = seen.map((id) => order.get(id)!)
            if (places.some((one, index) => index > 0 && one >= places[index - 1]!))
              throw new Error(`Repeated, or not newest first: ${places}`)
            const lost = before.filter((id) => !deleted.has(id) && !seen.includes(id))
            if (lost.length > 0) throw new Error(`Lost: ${lost}`)
          }
          const after = await walked(place, [3])
          t.strictSame(after, sent.filter((id) => !deleted.has(id)).toReversed())
        },
      ),
      { numRuns: 30, seed: 1 },
    )
    t.ok(walks > 100)
  },
)

t.test('reading pages needs only the scope rooms:read', async (t) => {
  const bot = await chat.agent('Reader', { scopes: ['rooms:read'] })
  await chat.invite(owner, room, bot)
  t.equal((await call(bot, 'GET', `${messages}?limit=1`)).status, 200)
})
