import type { Heading, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'
import { renameMember } from '../../support/rename-member.ts'

const chat = await openChat(t)
const { clock, owner, request } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, {
  name: 'Talk',
  description: 'About *everything*.',
  members: [bot.member.id],
})

const read = (path: string, actor = owner, method = 'GET') =>
  request(method, `/v1/fs/rooms${path}`, { key: actor.key })
const transcript = async (path = '/talk.md', actor = owner) => (await read(path, actor)).text
/** The headings of a page, each with its depth and its text as written. */
function headings(text: string): [depth: number, text: string][] {
  const tree: Root = fromMarkdown(text)
  const found: Heading[] = tree.children.filter((node) => node.type === 'heading')
  return found.map(({ depth, position }) => [
    depth,
    text.slice(position!.start.offset, position!.end.offset).replace(/^#+ /, ''),
  ])
}
/** The first message of the room. */
let first = ''

/** The ids of the messages on a page, oldest first. */
const shown = (text: string) =>
  headings(text)
    .slice(1)
    .map(([, heading]) => /msg_\w+/.exec(heading)?.[0])

t.test('the folder lists one’s own rooms and the open ones, each with its transcript', async (t) => {
  await chat.room(grace, { name: 'Quiet place' })
  await chat.room(grace, { name: 'Hidden', type: 'closed' })
  const { status, json } = await read('')
  t.equal(status, 200)
  t.strictSame(json, {
    rooms: [
      { filename: 'general.md', name: 'general', joined: true, path: '/v1/fs/rooms/general.md' },
      { filename: 'talk.md', name: 'Talk', joined: true, path: '/v1/fs/rooms/talk.md' },
      { filename: 'quiet-place.md', name: 'Quiet place', joined: false, path: '/v1/fs/rooms/quiet-place.md' },
    ],
  })
  for (const { path } of json.rooms.slice(0, 2)) t.equal((await request('GET', path)).status, 200)
  const names = (await read('', grace)).json.rooms.map(({ name }: { name: string }) => name)
  t.strictSame(names, ['general', 'Talk', 'Quiet place', 'Hidden'])
})

t.test(
  'a transcript is a page: name, description, then a heading for each message, with author, time and id',
  async (t) => {
    const at = clock.now()
    first = await chat.post(owner, room, 'Hello, all')
    clock.advance(60_000)
    const second = await chat.post(bot, room, `Hi ${mention(owner)}`)
    const page = await read('/talk.md')
    t.equal(page.status, 200)
    t.equal(page.headers['content-type'], 'text/markdown; charset=utf-8')
    t.equal(page.headers['cache-control'], 'private, no-cache')
    t.match(page.headers['x-service-url'], /^http:\/\/127\.0\.0\.1:\d+\/rooms\/talk$/)
    t.equal(
      page.text,
      [
        '# Talk',
        'About *everything*.',
        `## Ada · ${new Date(at).toISOString()} · \`${first}\``,
        'Hello, all',
        `## Bot · ${new Date(at + 60_000).toISOString()} · \`${second}\``,
        'Hi @Ada\n',
      ].join('\n\n'),
    )
  },
)

t.test('a transcript is found by slug or id, with or without .md', async (t) => {
  for (const path of ['/talk', `/${room}`, `/${room}.md`]) t.equal(await transcript(path), await transcript())
})

t.test('HEAD answers the headers of GET', async (t) => {
  const [head, get] = [await read('/talk.md', owner, 'HEAD'), await read('/talk.md')]
  t.strictSame([head.status, head.text], [200, ''])
  for (const name of ['content-length', 'content-type', 'x-service-url'])
    t.equal(head.headers[name], get.headers[name], name)
})

t.test('replies and deleted messages are left out, and an edited one shows its new text', async (t) => {
  const top = await chat.post(owner, room, 'A question')
  await chat.post(bot, room, 'A reply', { threadId: top })
  const gone = await chat.post(bot, room, 'A slip')
  await chat.remove(bot, room, gone)
  const edited = await chat.post(bot, room, 'Frist')
  await chat.edit(bot, room, edited, 'First')
  const text = await transcript()
  t.strictSame(shown(text).slice(-2), [top, edited])
  t.notMatch(text, /A reply|A slip|Frist/)
  t.match(text, /\n\nFirst\n$/)
})

t.test('a message shows its number of replies, and ?thread= reads them', async (t) => {
  const { _id } = await chat.room(owner, {
    name: 'Threads',
    description: 'For questions.',
    members: [bot.member.id],
  })
  const top = await chat.post(owner, _id, 'A question')
  const alone = await chat.post(owner, _id, 'Nobody answers')
  const replies: string[] = []
  for (let number = 1; number <= 3; number++)
    replies.push(await chat.post(bot, _id, `Answer ${number}`, { threadId: top }))
  await chat.remove(bot, _id, replies.pop()!)
  const text = await transcript('/threads.md')
  t.match(text, new RegExp(`^## Ada · \\S+ · \`${top}\` · 2 replies$`, 'm'))
  t.match(text, new RegExp(`^## Ada · \\S+ · \`${alone}\`$`, 'm'))
  t.match(text, '?thread=<id>')
  t.strictSame(shown(text), [top, alone], 'the replies are in the thread')

  const thread = await read(`/threads.md?thread=${top}`)
  t.match(thread.headers['x-service-url'], `/rooms/threads?at=${top}#${top}`)
  t.strictSame(shown(thread.text), [top, ...replies])
  t.match(thread.text, 'Answer 1')
  t.equal(await transcript(`/threads.md?thread=${replies[0]}`), thread.text, 'a reply reads its thread')
  t.strictSame(shown(await transcript(`/threads.md?thread=${alone}`)), [alone])
  for (const id of ['msg_nothing', first]) {
    const { status, json } = await read(`/threads.md?thread=${id}`)
    t.match([status, json.message], [404, /There is no message .* in this room/])
  }
  t.equal((await read(`/threads.md?thread=${top}`, grace)).status, 403)

  await chat.remove(owner, _id, top)
  t.match(await transcript(`/threads.md?thread=${top}`), /The first message was deleted\.\n\n## Bot/)
})

t.test(
  'of a long thread the last 50 replies are shown, or 50 replies from the requested one on',
  async (t) => {
    const { _id } = await chat.room(owner, { name: 'Long' })
    const top = await chat.post(owner, _id, 'Begin')
    const ids: string[] = []
    for (let number = 1; number <= 53; number++)
      ids.push(await chat.post(owner, _id, `Number ${number}`, { threadId: top }))
    const last = await transcript(`/long.md?thread=${top}`)
    t.strictSame(shown(last), [top, ...ids.slice(-50)])
    t.match(last, `50 of its 53 replies are shown: \`GET /api/rooms/${_id}/messages?thread=${top}\``)
    t.strictSame(shown(await transcript(`/long.md?thread=${ids[1]}`)), [top, ...ids.slice(1, 51)])
    t.strictSame(shown(await transcript(`/long.md?thread=${ids[3]}`)), [top, ...ids.slice(-50)])
  },
)

t.test('a transcript contains the last 50 messages, oldest first', async (t) => {
  const { _id } = await chat.room(owner, { name: 'Busy' })
  t.strictSame(headings(await transcript('/busy.md')), [[1, 'Busy']])
  const ids: string[] = []
  for (let number = 1; number <= 53; number++) ids.push(await chat.post(owner, _id, `Number ${number}`))
  t.strictSame(shown(await transcript('/busy.md')), ids.slice(-50))
  await chat.remove(owner, _id, ids[52]!)
  t.strictSame(shown(await transcript('/busy.md')), ids.slice(2, 52), 'an older one takes its place')
})

t.test('nothing in a message makes a heading, or hides the next message', async (t) => {
  const { _id } = await chat.room(owner, { name: 'Nasty' })
  const bodies = [
    '# One',
    '   ## Two\n### Three',
    'Setext\n======\nAnd\n---',
    '```\nno end',
    '~~~~ js\n## in code\n```',
    '<!-- no end',
    '<div>\n## x',
    '<script>\n',
    '> # quoted',
    '- # listed\n    - ## deeper',
    '---\ntitle: x\n---',
    '    indented\n\n# after',
    '[a]: <',
    '`open',
    '$$\n',
    'text\n\n***\n\n[x',
    '1. a\n\n   ```\n   open in a list',
    '> ```\n> open in a quote',
    '@[# Nobody](mem_00000000000000000000000000)',
    '\u2028# line separator',
    'a\r# b\r\n## c',
    '\t# tabbed',
  ]
  const ids: string[] = []
  for (const body of bodies) ids.push(await chat.post(owner, _id, body))
  const text = await transcript('/nasty.md')
  const found = headings(text)
  t.strictSame(found[0], [1, 'Nasty'])
  t.strictSame(shown(text), ids)
  t.ok(found.slice(1).every(([depth]) => depth === 2))
})

t.test('names of rooms and authors are shown as text', async (t) => {
  const star = await chat.addMember({ name: 'Star', type: 'human' })
  await renameMember(chat.home, star.member.id, '*Star* `_`')
  const { _id } = await chat.room(star, { name: '# `Room` <b>' })
  const id = await chat.post(star, _id, 'Hello')
  const text = await transcript(`/${_id}.md`, star)
  const plain = fromMarkdown(text).children.flatMap((node) =>
    node.type === 'heading'
      ? [node.children.map((child) => ('value' in child ? child.value : child.type)).join('')]
      : [],
  )
  t.strictSame(plain, ['# `Room` <b>', `*Star* \`_\` · ${new Date(clock.now()).toISOString()} · ${id}`])
})

t.test('somebody who is not in the room is refused, and the message says how to join', async (t) => {
  const open = await read('/talk.md', grace)
  t.match(
    [open.status, open.json],
    [403, { error: 'forbidden', message: `POST /api/rooms/${room}/join`, requestId: String }],
  )
  const hidden = await read('/hidden.md')
  t.match([hidden.status, hidden.json], [403, { error: 'forbidden', message: /person who is in it/ }])
  for (const path of ['/nowhere.md', '/.md', '/talk.md.md', '/TALK.md', '/talk.txt']) {
    const { status, json } = await read(path)
    t.match([status, json], [404, { error: 'not_found' }], path)
  }
})

t.test('a transcript is read-only: no other method, no view, no block', async (t) => {
  for (const path of ['', '/talk.md']) {
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers, json } = await read(path, owner, method)
      t.strictSame(
        [status, headers.allow, json.error],
        [405, 'GET, HEAD', 'bad_request'],
        `${method} ${path}`,
      )
    }
  }
  t.match((await read('/talk.md?view=blocks')).json, { error: 'unprocessable' })
  const block = await request('PUT', '/v1/fs/rooms/talk.md?block=k1234567', { body: 'x' })
  t.match([block.status, block.json.error], [422, 'unprocessable'])
})

t.test('a room that was renamed is found by its new name', async (t) => {
  const { _id } = await chat.room(owner, { name: 'Old name' })
  await chat.call(owner, 'PATCH', `/rooms/${_id}`, { name: 'New name' })
  t.equal((await read('/new-name.md')).status, 200)
  t.equal((await read('/old-name.md')).status, 404)
})

t.test('the orientation mentions the rooms', async (t) => {
  const { text } = await request('GET', '/v1/fs')
  t.match(text, '/api/rooms')
})
