import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const chat = await openChat(t)
const { call, owner, workspace, request } = chat
const [grace, gone] = [await chat.person('Grace'), await chat.person('Gone')]
const [bot, scout] = [await chat.agent('Bot'), await chat.agent('Scout')]
await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
await chat.leave(scout, 'general')

/** Returns the unreached members of an answer: ids and reasons, in order. */
const unreachedIn = ({ json }: { json: { unreached?: { memberId: string; reason: string }[] } }) =>
  json.unreached?.map(({ memberId, reason }) => [memberId, reason])

const send = (actor: Actor, room: string, body: string) =>
  call(actor, 'POST', `/rooms/${room}/messages`, { body })
const put = (actor: Actor, path: string, body: string) =>
  request('PUT', `/v1/fs/projects/general/${path}`, { key: actor.key, body })

t.test('a mention in general notifies an agent from the moment at which it is added', async (t) => {
  const { status, json } = await send(owner, 'general', `Hello ${mention(bot)}`)
  t.equal(status, 201)
  t.strictSame(Object.keys(json), ['messageId'], 'everyone was reached, so none is named')
  t.match(await chat.inbox(bot), 'Hello @Bot')
})

t.test('a message names the members whom its mentions do not reach, and why', async (t) => {
  const nobody = `mem_${'0'.repeat(26)}`
  const all = `${mention(bot)} ${mention(grace)} ${mention(scout)} ${mention(gone)} @[Nobody](${nobody}) ${mention(owner)} @[channel](__channel__) ${mention(scout)}`
  const response = await send(owner, 'general', all)
  t.equal(response.status, 201)
  t.strictSame(response.json.unreached, [
    {
      memberId: scout.member.id,
      name: 'Scout',
      reason:
        'Scout is not in the room general, and agents are notified only in rooms they belong to. A person in the room can add Scout, or Scout can join it.',
    },
    { memberId: gone.member.id, name: 'Gone', reason: 'Gone is deactivated.' },
    {
      memberId: nobody,
      name: 'Nobody',
      reason: `There is no member with the id ${nobody}. GET /api/members lists the ids.`,
    },
  ])
  const edited = await call(owner, 'PUT', `/rooms/general/messages/${response.json.messageId}`, {
    body: `Only ${mention(scout)}`,
  })
  t.match(edited.json, { ok: true, unreached: [{ memberId: scout.member.id }] })
  await chat.join(scout, 'general')
  t.strictSame((await send(owner, 'general', mention(scout))).json.unreached, undefined)
  await chat.leave(scout, 'general')
})

t.test('a repeated request gets the same answer', async (t) => {
  const once = () =>
    call(owner, 'POST', '/rooms/general/messages', { body: mention(scout) }, { 'Idempotency-Key': 'k' })
  t.strictSame((await once()).json, (await once()).json)
})

t.test('closed rooms and rooms of projects reach only members who are in them', async (t) => {
  const closed = await chat.room(owner, { name: 'Closed', type: 'closed' })
  t.strictSame(unreachedIn(await send(owner, closed._id, mention(grace))), [
    [grace.member.id, 'Grace is not in this closed room. A person who is in it can add Grace.'],
  ])
  const within = await chat.room(owner, { name: 'Within', projectId: 'general' })
  t.strictSame(unreachedIn(await send(owner, within._id, `${mention(grace)} ${mention(bot)}`)), [
    [
      grace.member.id,
      'Grace is not in the project that the room Within belongs to. A lead, owner or admin can add Grace.',
    ],
    [
      bot.member.id,
      'Bot is not in the project that the room Within belongs to. A lead, owner or admin can add Bot.',
    ],
  ])
})

const outside = [
  [bot.member.id, 'Bot is not in the project general. Its lead, an owner or an admin can add Bot.'],
  [
    grace.member.id,
    'Grace is not in the project general. Its lead, an owner or an admin can add Grace. The mention waits in their inbox until then.',
  ],
]

t.test('posts, in whatever way they are published, and comments name the unreached, too', async (t) => {
  const text = 'Look, @Bot and @Grace.\n'
  const direct = await put(owner, 'posts/one.md', `# One\n\n${text}`)
  t.strictSame(unreachedIn(direct), outside)
  const draft = await put(owner, 'drafts/two.md', `# Two\n\n${text}`)
  t.strictSame(unreachedIn(draft), undefined, 'a draft notifies nobody')
  const published = await request('POST', `${draft.json.path}/_publish`)
  t.strictSame(unreachedIn(published), outside)
  const canonical = `Look, ${mention(bot)} and ${mention(grace)}.`
  for (const [path, more] of [
    ['/v1/posts', { projectId: 'general' }],
    ['/v1/projects/general/posts', {}],
  ] as const) {
    const posted = await request('POST', path, { body: { title: 'Three', body: canonical, ...more } })
    t.strictSame(unreachedIn(posted), outside, path)
  }
  const comments = `/v1/posts/${direct.json.id}/comments`
  t.strictSame(unreachedIn(await request('POST', comments, { body: { body: canonical } })), outside)
  const document = await put(owner, 'docs/plain.md', `# Plain\n\n${text}`)
  t.strictSame(unreachedIn(document), undefined, 'mentions in documents notify nobody')

  await workspace.stores.projects.join(workspace.stores.projects.find('general')!, bot.member, 'member')
  t.strictSame(unreachedIn(await request('POST', comments, { body: { body: mention(bot) } })), undefined)
  await workspace.stores.projects.leave(workspace.stores.projects.find('general')!, bot.member)
})

t.test('pages name the unreached to an author before and after sending', async (t) => {
  const browser = await new ScriptlessBrowser(chat).signIn(owner.key)
  const csrf = { 'X-CSRF-Token': await browser.csrf(), 'Content-Type': 'application/json' }
  const ask = (body: unknown) =>
    browser.send(
      'POST',
      '/unreached',
      { ...csrf, Origin: chat.url, 'Sec-Fetch-Site': 'same-origin' },
      JSON.stringify(body),
    )
  const { _id } = (await call(owner, 'GET', '/rooms/general')).json
  t.match(unreachedIn(await ask({ room: _id, body: mention(scout) })), [[scout.member.id]])
  const { json: post } = await put(owner, 'posts/seen.md', `# Seen\n\n${mention(bot)}\n`)
  t.match(unreachedIn(await ask({ post: post.id, body: mention(bot) })), [[bot.member.id]])
  t.strictSame((await ask({ room: _id, body: 'Nobody' })).json, { unreached: [] })
  t.match((await ask({ body: 'x' })).status, 400)
  const page = new URL(post.url).pathname
  t.match((await browser.open(page)).text, /were not notified\. Bot is not in the project/)
  const { json: draft } = await put(owner, 'drafts/seen.md', `# Draft\n\n${mention(bot)}\n`)
  t.match(
    (await browser.open(new URL(draft.url).pathname)).text,
    /mentioned in this draft will not be notified/,
  )
  await workspace.stores.projects.join(workspace.stores.projects.find('general')!, grace.member, 'member')
  const reader = await new ScriptlessBrowser(chat).signIn(grace.key)
  t.notMatch((await reader.open(page)).text, /has heard of it/, 'only to its author')
})
