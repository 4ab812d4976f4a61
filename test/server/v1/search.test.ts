import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import type { SearchResult } from '../../../core/search/search.ts'
import { openChat } from '../../support/chat.ts'
import fc from '../../support/seeded-properties.ts'

const room = await openChat(t)
const { request, owner, clock } = room
const general = '/v1/fs/projects/general'
const grace = await room.person('Grace', 'general')
const stranger = await room.person('Stranger')
const bot = await room.addMember({ name: 'Bot', type: 'agent' }, 'general')

const succeed = async (method: string, path: string, options = {}) => {
  const response = await request(method, path, options)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.json
}
const put = (folder: string, title: string, text = 'Text.', key = owner.key) => {
  clock.advance(1000)
  const path = `/v1/fs/projects/${folder}/${encodeURIComponent(title)}.md`
  return succeed('PUT', path, { body: `# ${title}\n\n${text}\n`, key })
}
const search = async (q: string, more = '', key = owner.key): Promise<SearchResult[]> =>
  (await succeed('GET', `/v1/search?q=${encodeURIComponent(q)}${more}`, { key })).results
const ids = async (...request: Parameters<typeof search>) =>
  (await search(...request)).map(({ id }) => id).sort()
const sorted = (...found: { id: string }[]) => found.map(({ id }) => id).sort()

t.test('documents, posts, cards, comments and messages are found, each with its path and URL', async (t) => {
  const doc = await put(
    'general/docs',
    'Onboarding',
    'How a *new* **wombat** begins.\n\n| a | b |\n|---|---|\n| c | d |',
  )
  const post = await put('general/posts', 'Wombats', 'They are here.')
  const card = await put('general/board/todo', 'Feed it', '```\nfeed(wombat)\n```')
  const { comment } = await succeed('POST', `/v1/posts/${post.id}/comments`, {
    body: { body: 'What a wombat!' },
  })
  const message = await room.post(owner, 'general', 'Who saw the wombat?')
  const { query, results } = await succeed('GET', '/v1/search?q=wombat')
  t.equal(query, 'wombat')
  t.equal(results[0].id, post.id, 'a word in a title weighs more')
  const transcript = {
    path: '/v1/fs/rooms/general.md',
    url: `${room.url}/rooms/general?at=${message}#${message}`,
  }
  const byId = new Map(results.map((result: SearchResult) => [result.id, result]))
  t.strictSame([...byId.keys()].sort(), sorted(doc, post, card, { id: comment._id }, { id: message }))
  const place = ({ path, url }: { path: string; url: string }) => ({ path, url })
  t.strictSame(byId.get(doc.id), {
    id: doc.id,
    type: 'document',
    title: 'Onboarding',
    ...place(doc),
    snippet: 'How a new wombat begins. a b c d',
  })
  t.strictSame(byId.get(post.id), {
    id: post.id,
    type: 'post',
    title: 'Wombats',
    ...place(post),
    snippet: 'They are here.',
  })
  t.match(byId.get(card.id), { type: 'card', title: 'Feed it', ...place(card), snippet: 'feed(wombat)' })
  t.match(byId.get(comment._id), {
    type: 'comment',
    title: 'Wombats',
    ...place(post),
    snippet: 'What a wombat!',
  })
  t.match(byId.get(message), {
    type: 'message',
    title: 'general',
    ...transcript,
    snippet: 'Who saw the wombat?',
  })
  for (const [type, id] of Object.entries({
    document: doc.id,
    post: post.id,
    card: card.id,
    comment: comment._id,
    message,
  }))
    t.strictSame(await ids('wombat', `&type=${type}`), [id], type)
})

t.test(
  'all words must match, in any case and accent; quotes make a phrase, and the last word may be a prefix',
  async (t) => {
    const one = await put('general/docs', 'Crème brûlée', 'Sugar on the top, and a torch.')
    const two = await put('general/docs', 'Torches', 'On sugar, the top torch.')
    const cases: [q: string, found: { id: string }[]][] = [
      ['CREME', [one]],
      ['sugar torch', [one, two]],
      ['"sugar on the top"', [one]],
      ['"sugar on the to', [one]],
      ['"sugar on the to"', []],
      ['sugar torches', [two]],
      ['suga torch', []],
      ['sug', [one, two]],
      ['top-torch', [two]],
      ['sugar NOT torch', []],
      ['title:creme', []],
      ['(!) -- ""', []],
    ]
    for (const [q, found] of cases) t.strictSame(await ids(q), sorted(...found), q)
  },
)

t.test('search results follow every change and deletion', async (t) => {
  const doc = await put('general/docs', 'Changing', 'First okapi.')
  t.strictSame(await ids('okapi'), [doc.id])
  await succeed('PUT', doc.path, { body: '# Changing\n\nThen zebra.\n' })
  t.strictSame([await ids('okapi'), await ids('zebra')], [[], [doc.id]])
  await succeed('DELETE', doc.path)
  t.strictSame(await ids('zebra'), [])
  await succeed('POST', `${general}/trash/${doc.id}/_restore`)
  t.strictSame(await ids('zebra'), [doc.id])
  const post = await put('general/posts', 'Short-lived', 'An ibex.')
  const { comment } = await succeed('POST', `/v1/posts/${post.id}/comments`, {
    body: { body: 'ibex indeed' },
  })
  const message = await room.post(owner, 'general', 'an ibex')
  t.strictSame(await ids('ibex'), [comment._id, post.id, message].sort())
  await room.edit(owner, 'general', message, 'a chamois')
  await succeed('DELETE', post.path)
  t.strictSame([await ids('ibex'), await ids('chamois')], [[], [message]])
  await room.remove(owner, 'general', message)
  t.strictSame(await ids('chamois'), [])
})

t.test('a file without a title is found by its name, and after a rename by the new one', async (t) => {
  const documents = join(room.home, 'projects/general/documents')
  writeFileSync(join(documents, 'quokka.md'), 'No title.\n')
  const { headers } = await request('GET', `${general}/docs/quokka.md`)
  t.equal((await search('quokka'))[0]?.url, headers['x-service-url'])
  renameSync(join(documents, 'quokka.md'), join(documents, 'numbat.md'))
  t.equal((await request('GET', `${general}/docs/numbat.md`)).status, 200)
  t.strictSame([await ids('quokka'), (await search('numbat'))[0]?.snippet], [[], 'No title.'])
})

t.test('nobody finds what they may not read, and it takes no place in their results', async (t) => {
  await succeed('POST', '/v1/fs/projects', { body: { name: 'Secret' } })
  const open = await put('general/docs', 'Open', 'One tapir.')
  const draft = await put('general/drafts', 'My draft', 'A tapir.', grace.key)
  const secret = []
  for (let n = 0; n < 3; n++) secret.push(await put('secret/docs', `Tapir ${n}`, 'tapir tapir'))
  const closed = await room.room(owner, { name: 'Closed', type: 'closed' })
  const message = { id: await room.post(owner, closed._id, 'tapir, said in private') }
  t.strictSame(await ids('tapir'), sorted(open, message, ...secret))
  t.strictSame(await ids('tapir', '', grace.key), sorted(open, draft))
  t.strictSame(await ids('tapir', '&limit=1&type=document', grace.key), [open.id])
  t.strictSame(await ids('tapir', '', stranger.key), [])
  await room.invite(owner, closed._id, stranger)
  t.strictSame(await ids('tapir', '', stranger.key), [message.id])
  await room.leave(stranger, closed._id)
  t.strictSame(await ids('tapir', '', stranger.key), [])
  await succeed('POST', `${draft.path}/_publish`, { key: grace.key })
  t.ok((await ids('tapir')).includes(draft.id))
  const hall = await room.room(owner, { name: 'Hall', type: 'open', projectId: 'secret' })
  await room.post(owner, hall._id, 'tapir in the hall')
  t.strictSame(await ids('tapir', '&project=secret&type=message'), [
    (await search('hall', '&type=message'))[0]!.id,
  ])
  t.equal((await ids('tapir', '&project=secret')).length, 4)
  t.strictSame(await ids('tapir', '&type=message', grace.key), [], 'not in an open room that they are not in')
})

t.test('a key finds only what its scopes allow', async (t) => {
  const keyWith = async (...scopes: string[]) =>
    (await room.workspace.stores.members.addKey(bot.member.id, { scopes })).key
  await put('general/docs', 'Lynx document')
  const post = await put('general/posts', 'Lynx post')
  await put('general/board/todo', 'Lynx card')
  await put('general/drafts', 'Lynx draft', 'Text.', bot.key)
  await succeed('POST', `/v1/posts/${post.id}/comments`, { body: { body: 'lynx' } })
  await room.join({ member: bot.member, key: bot.key }, 'general')
  await room.post(owner, 'general', 'lynx')
  const types = async (...scopes: string[]) =>
    (await search('lynx', '', await keyWith(...scopes))).map(({ type }) => type).sort()
  t.strictSame(await types(...agentScopes), ['card', 'comment', 'document', 'message', 'post', 'post'])
  t.strictSame(await types('documents:read'), ['document'])
  t.strictSame(await types('posts:read'), ['comment', 'post'])
  t.strictSame(await types('drafts:read'), ['post'])
  t.strictSame(await types('cards:read', 'rooms:read'), ['card', 'message'])
  t.strictSame(await types('asks:read'), [])
  for (const [type, scope] of Object.entries({
    document: 'documents:read',
    comment: 'posts:read',
    message: 'rooms:read',
  })) {
    const { status, json } = await request('GET', `/v1/search?q=x&type=${type}`, {
      key: await keyWith('asks:read'),
    })
    t.match([status, json], [403, { error: scope }])
  }
})

t.test(
  'a snippet shows where most of the words are, and a text of nothing but the words is no problem',
  async (t) => {
    const words = Array.from({ length: 60 }, (_, n) => `w${n}`).join(' ')
    await put('general/docs', 'Gnu', `Yak. ${words} Öryx, yak! ${words} tayra`)
    const [gnu] = await search('yak oryx')
    t.equal(
      gnu?.snippet,
      `…${words.split(' ').slice(-11).join(' ')} Öryx, yak! ${words.split(' ').slice(0, 11).join(' ')}…`,
    )
    t.ok((await search('tayra'))[0]?.snippet.endsWith(' w59 tayra'), 'up to the end')
    t.equal((await search('"gnu"'))[0]?.snippet, `Yak. ${words.split(' ').slice(0, 23).join(' ')}…`)
    await put('general/docs', 'Long', 'ab '.repeat(60_000))
    t.equal((await search('ab ab'))[0]?.snippet, `${'ab '.repeat(24).trim()}…`)
  },
)

t.test('a link in a snippet is shown by its title, even if the text around it is cut', async (t) => {
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => `w${from + n}`).join(' ')
  const [before, after] = [words(0, 9), words(9, 20)]
  const named = `[[One two three]] ${before} narthex ${after} [[Four five six]] ${words(20, 30)}`
  await put('general/docs', 'Church', named)
  t.equal((await search('narthex'))[0]?.snippet, `One two three ${before} narthex ${after} Four five six…`)
  const long = 'x'.repeat(140)
  await put('general/docs', 'Tower', `belfry ${long} ${long} [[${'Seven eight '.repeat(3)}]] and on`)
  t.equal((await search('belfry'))[0]?.snippet, `belfry ${long} ${long} `)
})

t.test('an invalid search is refused with a message', async (t) => {
  const cases: [query: string, status: number, error: string][] = [
    ['', 400, '?q='],
    ['?q=%20%09', 400, '?q='],
    ['?q=a&q=b', 400, '?q='],
    [`?q=${'x'.repeat(401)}`, 400, '400 characters'],
    [`?q=${'x+'.repeat(17)}`, 400, '16 words'],
    ['?q=x&type=draft', 400, 'document, post, card, comment, message'],
    ['?q=x&limit=0', 400, '1 to 50'],
    ['?q=x&limit=many', 400, '1 to 50'],
    ['?q=x&project=nothing', 404, 'no project'],
  ]
  for (const [query, status, error] of cases) {
    const response = await request('GET', `/v1/search${query}`)
    t.match([response.status, response.json], [status, { error }], query.slice(0, 20))
  }
  t.equal((await request('GET', '/v1/search?q=x&project=general', { key: stranger.key })).status, 403)
  t.equal((await request('GET', '/v1/search?q=x&limit=1000')).status, 200)
  t.equal((await request('POST', '/v1/search?q=x')).status, 405)
})

t.test('any text is searched for or refused with 400, and never fails', async (t) => {
  const typed = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          '*',
          'NEAR(',
          'a',
          ' ',
          'OR',
          '^',
          ':',
          '{x}:',
          '-',
          '\0',
          '\u0301',
          '漢',
          '😀',
          ')',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  )
  const never = fc.assert(
    fc.asyncProperty(typed, async (text) => {
      const { status, text: answer } = await request(
        'GET',
        `/v1/search?q=${encodeURIComponent(Buffer.from(text).toString())}`,
      )
      if (status !== 200 && status !== 400) throw new Error(`${JSON.stringify(text)}: ${status} ${answer}`)
    }),
    { numRuns: 50, seed: 1 },
  )
  await t.resolves(never)
})

t.test('operators narrow a search by author, place, day and files', async (t) => {
  const at = (date: string) => clock.set(Date.parse(date))
  at('2027-03-01T12:00:00Z')
  const { _id: quay } = await room.room(owner, { name: 'Quay side', members: [grace.member.id] })
  const first = await room.post(owner, quay, 'A narwhal at dawn')
  const file = await room.post(grace, quay, 'The narwhal: [narwhal.pdf](/projects/general/files/narwhal.pdf)')
  at('2027-03-02T12:00:00Z')
  const last = await room.post(grace, quay, 'No narwhal today')
  const document = await put('general/docs', 'Narwhals', 'Where they were.')
  const found: [string, string[]][] = [
    ['narwhal from:Grace', [file, last]],
    ['narwhal from:me', [first, document.id]],
    ['narwhal in:quay-side', [first, file, last]],
    ['narwhal in:"Quay side" from:@grace', [file, last]],
    ['narwhal in:general', [document.id]],
    ['narwhal before:2027-03-02', [first, file]],
    ['narwhal after:2027-03-02', [last, document.id]],
    ['narwhal after:2027-03-02 before:2027-03-02', []],
    ['has:file narwhal', [file]],
    ['in:quay-side', [first, file, last]],
    ['in:quay-side from:grace', [file, last]],
    ['"from:Grace narwhal"', []],
  ]
  for (const [query, expected] of found) t.strictSame(await ids(query), [...expected].sort(), query)
  t.equal((await search('in:quay-side'))[0]!.id, last, 'without words the newest come first')
  const elsewhere = await room.person('Elsewhere')
  for (const [query, message, key] of [
    ['from:nobody', /names no member, or more than one/, owner.key],
    [
      'in:nowhere narwhal',
      /in:nowhere is not one of your rooms and projects\. They are: .*quay-side/,
      owner.key,
    ],
    ['in:quay-side', /is not one of your rooms/, elsewhere.key],
    ['before:yesterday', /looks like 2026-06-18/, owner.key],
    ['has:fun', /has:file/, owner.key],
  ] as const) {
    const response = await request('GET', `/v1/search?q=${encodeURIComponent(query)}`, { key })
    t.match([response.status, response.json.error], [400, message], query)
  }
})
