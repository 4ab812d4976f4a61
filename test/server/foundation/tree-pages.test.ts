import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { mentionsPage } from '../../../core/inbox/mentions-page.ts'
import { orientationPage } from '../../../core/orientation/orientation-page.ts'
import { startWorkroom } from '../../support/workroom.ts'

/** Returns the root page and the help pages that it names. */
async function pagesOf(read: (path: string) => Promise<{ text: string }>): Promise<string> {
  const { text: root } = await read('/v1/fs')
  const named = [...root.matchAll(/`(\/v1\/fs\/help\/[^`]+)`/g)].map(([, path]) => path!)
  const pages = await Promise.all(named.map(read))
  return [root, ...pages.map(({ text }) => text)].join('\n')
}

t.test('the root page says who the caller is, where they can work and what waits for them', async (t) => {
  const { request, addMember, url } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent' }, 'general')
  await request('PUT', '/v1/fs/projects/general/posts/hello.md', { body: '# Hello\n\nDear @Bot, welcome.\n' })
  const page = await request('GET', '/v1/fs', { key: bot.key })
  t.match(page.headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'cache-control': 'private, no-cache',
  })
  for (const fact of [
    bot.member.id,
    '**Bot**',
    'an agent',
    '| General | `general` |',
    '1 in all',
    '*Hello*',
    url,
  ]) {
    t.match(page.text, fact)
  }
  t.notMatch(page.text, bot.key)
  t.equal((await request('GET', '/v1/fs/README.md', { key: bot.key })).text, page.text)
})

t.test('every command of the root page and of its help pages works when pasted', async (t) => {
  const { request, owner } = await startWorkroom(t)
  const text = await pagesOf((path) => request('GET', path))
  const scripts = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, script]) => script)
  const commands = scripts.join('\n').replaceAll('curl -sS', 'curl -sS --fail-with-body')
  const { stderr } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    env: { ...process.env, WORKROOM_KEY: owner.key },
  })
  t.equal(stderr, '')
  const { asks } = (await request('GET', '/api/asks')).json
  t.match(asks, [{ title: 'Sort the field notes', state: 'resolved', resolution: 'Done.' }])
  const { posts } = (await request('GET', '/v1/fs/projects/general/posts')).json
  t.equal(posts[0].title, 'Hello')
  t.match(
    (await request('GET', '/v1/fs/projects/general/docs/field-notes.md')).text,
    /Second note, put better/,
  )
  t.match((await request('GET', '/v1/fs/rooms/general.md')).text, /^## Ada .*\n\nHello\.$/m)
  t.match((await request('GET', `/v1/posts/${posts[0].id}/comments`)).json.comments, [{ body: 'Well said.' }])
  t.match((await request('GET', `${posts[0].path}/attachments`)).json.attachments, [{ name: 'numbers.csv' }])
  const { cards } = (await request('GET', '/v1/fs/projects/general/board/03-in-progress')).json
  t.match(cards, [{ title: 'Read the field notes' }])
  t.match((await request('GET', '/v1/fs/projects/general/plan.md')).text, /Field notes that everyone finds/)
  t.match((await request('GET', '/v1/fs/projects/general/library/files/numbers.csv')).text, 'a,b')
})

t.test(
  'the help pages name what is easily guessed wrong, and the root says once how to send a request',
  async (t) => {
    const { request } = await startWorkroom(t)
    const root = (await request('GET', '/v1/fs')).text
    t.equal(root.match(/Authorization: Bearer/g)!.length, 1)
    const text = await pagesOf((path) => request('GET', path))
    for (const name of [
      '"threadId"',
      '?thread=',
      '?leave',
      '"expectedVersion": 0, "expectedDraftRevision": 1',
      '{"ids": [',
      'X-Service-Events-Head',
      'X-Service-Events-Oldest',
      'X-Service-Events-Epoch',
      'Content-Type: text/markdown',
    ]) {
      t.match(text, name)
    }
  },
)

t.test('a member of no project is shown how to create one', async (t) => {
  const { request, addMember } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent' })
  const { text } = await request('GET', '/v1/fs', { key: bot.key })
  t.match(text, 'You are not in any project yet')
  t.match(text, /^wr -d '{"name": "My first project"}' "\$url\/v1\/fs\/projects"$/m)
})

t.test('the root page shows nothing that the key’s scopes do not allow', async (t) => {
  const { request, addMember } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent', scopes: ['documents:read'] }, 'general')
  const { status, text } = await request('GET', '/v1/fs', { key: bot.key })
  t.equal(status, 200)
  t.notMatch(text, 'Your projects')
  t.notMatch(text, 'Unread mentions')
  for (const path of ['/v1/fs/projects', '/v1/fs/inbox/mentions.md']) {
    t.match((await request('GET', path, { key: bot.key })).json, { error: 'forbidden', message: /scope/ })
  }
})

t.test('names are escaped on the pages', async (t) => {
  const evil = '# <img> | [x](y) `code`\n\n*b*'
  const mention = {
    id: 'doc_1',
    placeId: 'doc_1',
    author: evil,
    title: evil,
    threadId: null,
    preview: null,
    isWhole: false,
    at: 0,
    path: '/v1/fs/x',
    readPath: '/v1/fs/x',
  }
  const mentions = [{ ...mention, subjectKind: 'post' as const }]
  const page = mentionsPage(mentions)
  t.match(page, '1970-01-01T00:00:00.000Z')
  t.match(page, '\\# \\<img\\> \\| \\[x\\](y) \\`code\\` \\*b\\*')
  t.equal(page.trimEnd().split('\n').length, 6)
  const member = { id: 'mem_1', name: evil, type: 'human', role: 'owner' }
  const caller = { member, scopes: new Set(['*']) } as unknown as Parameters<
    typeof orientationPage
  >[0]['caller']
  const root = orientationPage({
    publicUrl: "http://it's",
    instructions: 'requests',
    workspaceName: evil,
    caller,
    projects: [{ slug: 'a', name: evil, postCount: 0, isArchived: false }],
    rooms: [{ filename: 'a.md', name: evil, joined: true, path: '/v1/fs/rooms/a.md', unread: 1 }],
    asks: [],
    cards: [],
    changes: null,
    mentions: [],
    noticeCount: 0,
  })
  t.notMatch(root, '<img>')
  t.match(root, "url='http://it'\\''s'\n")
  t.match(root, 'wr "$url/v1/fs/projects/a"\n')
})

t.test('unread mentions are listed newest first', async (t) => {
  const { request, addMember, clock } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent' }, 'general')
  const inbox = async () => (await request('GET', '/v1/fs/inbox/mentions.md', { key: bot.key })).text
  t.match(await inbox(), /no unread mention/)
  for (const title of ['First', 'Second']) {
    await request('PUT', `/v1/fs/projects/general/posts/${title}.md`, { body: `# ${title}\n\n@Bot\n` })
    clock.advance(1000)
  }
  const page = await inbox()
  t.match(page, '2 unread mentions')
  t.match(
    page,
    /\*\*Ada\*\* in \*Second\*: `\/v1\/fs\/projects\/general\/posts\/[^`]*second\.md`[\s\S]*First/,
  )
})

t.test('projects can be listed and created', async (t) => {
  const { request, addMember, url } = await startWorkroom(t)
  t.strictSame((await request('GET', '/v1/fs/projects')).json, {
    projects: [
      {
        slug: 'general',
        name: 'General',
        postCount: 0,
        url: `${url}/projects/general`,
        path: '/v1/fs/projects/general',
      },
    ],
  })
  const bot = await addMember({ name: 'Bot', type: 'agent' })
  t.strictSame((await request('GET', '/v1/fs/projects', { key: bot.key })).json, { projects: [] })
  const made = await request('POST', '/v1/fs/projects', { key: bot.key, body: { name: 'Moon Base' } })
  t.strictSame([made.status, made.json], [201, { slug: 'moon-base', name: 'Moon Base' }])
  t.match((await request('GET', '/v1/fs/projects', { key: bot.key })).json.projects, [{ slug: 'moon-base' }])
  t.equal((await request('GET', '/v1/fs/projects/moon-base', { key: bot.key })).status, 200)
  for (const body of [{}, { name: 1 }, { name: ' ' }, { name: 'x'.repeat(81) }]) {
    const response = await request('POST', '/v1/fs/projects', { body })
    t.strictSame([response.status, response.json.error], [422, 'unprocessable'], JSON.stringify(body))
  }
  t.equal((await request('POST', '/v1/fs/projects', { body: '{' })).status, 400)
})

t.test('another’s project is 403, and an unknown one is 404', async (t) => {
  const { request, addMember } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent' })
  const status = async (path: string) =>
    (await request('GET', `/v1/fs/projects/${path}`, { key: bot.key })).status
  for (const folder of ['', '/posts', '/docs', '/docs/welcome.md', '/board', '/trash']) {
    t.equal(await status(`general${folder}`), 403, folder)
    t.equal(await status(`nothing${folder}`), 404, folder)
  }
})
