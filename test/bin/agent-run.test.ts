import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startWorkroom as startServer, type Workroom } from '../support/workroom.ts'
import { runWorkroom, startWorkroom } from './run-workroom.ts'

/** An agent's program as its author would write it: the text of the message decides what it does. */
const source = `
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
const { event, message, comment, thread } = JSON.parse(readFileSync(0, 'utf8'))
const text = (message ?? comment).bodyText
const [folder] = process.argv.slice(2)
if (text.includes('fail')) {
  console.log('unfinished')
  process.exit(3)
}
if (text.includes('hang') || (text.includes('once') && !existsSync(folder + '/begun'))) {
  writeFileSync(folder + '/begun', '')
  // Ends with whom it speaks to.
  setInterval(() => console.log('.'), 50)
} else if (text.includes('together')) {
  const mark = folder + '/present-' + process.pid
  writeFileSync(mark, '')
  const present = readdirSync(folder).filter((name) => name.startsWith('present-')).length
  const timer = setInterval(() => {
    if (!existsSync(folder + '/go')) return
    clearInterval(timer)
    rmSync(mark)
    console.log('one of ' + present)
  }, 20)
} else if (!text.includes('silent')) console.log(event + ': ' + text + (thread ? ' after ' + thread.earlier[0].bodyText : ''))
`

async function startAgent(t: Test, server: Workroom) {
  const { member, key } = await server.addMember({ name: 'Helper', type: 'agent' }, 'general')
  await server.request('POST', '/api/rooms/general/join', { key })
  const folder = join(server.home, '..')
  writeFileSync(join(folder, 'agent.mjs'), source)
  const run = async (...flags: string[]) => {
    const program = [process.execPath, join(folder, 'agent.mjs'), folder]
    const environment = { WORKROOM_URL: server.url, WORKROOM_KEY: key }
    const started = startWorkroom(t, ['agent', 'run', ...flags, '--', ...program], environment)
    while (!started.output.stdout.includes('waiting')) await once(started.child.stdout, 'data')
    return started
  }
  const say = async (body: string, threadId?: string): Promise<string> => {
    const said = { body: `@[Helper](${member.id}) ${body}`, ...(threadId && { threadId }) }
    return (await server.request('POST', '/api/rooms/general/messages', { body: said })).json.messageId
  }
  const replies = async (thread?: string): Promise<string[]> => {
    const query = thread === undefined ? '' : `?thread=${thread}`
    const { page } = (await server.request('GET', `/api/rooms/general/messages${query}`)).json
    const own = page.filter(({ author }: { author: { _id: string } }) => author._id === member.id)
    return own.map(({ body }: { body: string }) => body).reverse()
  }
  return { key, member, folder, run, say, replies }
}

t.test('a program runs for each wake of its agent, and its output is posted as the answer', async (t) => {
  const server = await startServer(t)
  const agent = await startAgent(t, server)
  const { child, output, ended } = await agent.run()
  const asked = await agent.say('hello')
  await server.eventually(async () => (await agent.replies()).length > 0)

  await agent.say('please fail')
  await agent.say('be silent')
  await agent.say('and now', asked)
  await server.eventually(async () => (await agent.replies(asked)).length > 0)
  t.same(await agent.replies(asked), ['mention: @Helper and now after @Helper hello'])
  t.same(await agent.replies(), ['mention: @Helper hello'], 'failures and silence post nothing')
  t.match(output.stderr, /mention: the program ended with 3; nothing was posted/)
  t.match(output.stderr, /mention: nothing was posted/)

  const { post } = (
    await server.request('POST', '/v1/posts', { body: { project: 'general', title: 'News', body: 'Today.' } })
  ).json
  const body = `@[Helper](${agent.member.id}) well?`
  await server.request('POST', `/v1/posts/${post._id}/comments`, { body: { body } })
  const comments = async () => (await server.request('GET', `/v1/posts/${post._id}/comments`)).json.comments
  await server.eventually(async () => (await comments()).length > 1)
  t.match(await comments(), [{}, { body: 'mention: @Helper well?' }])
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('a program that takes longer than --timeout is stopped, and its output is not posted', async (t) => {
  const server = await startServer(t)
  const agent = await startAgent(t, server)
  const { output } = await agent.run('--timeout', '1')
  await agent.say('hang')
  const stopped = /mention: the program was stopped after 1 seconds; nothing was posted/
  await server.eventually(() => stopped.test(output.stderr))
  t.same(await agent.replies(), [])
})

t.test('as many programs run at once as --concurrency allows, and no more', async (t) => {
  const server = await startServer(t)
  const agent = await startAgent(t, server)
  const present = () => readdirSync(agent.folder).filter((name) => name.startsWith('present-')).length
  await agent.run('--concurrency', '2')
  for (const which of ['first', 'second', 'third']) await agent.say(`together, ${which}`)
  await server.eventually(() => present() === 2)
  t.same(await agent.replies(), [])
  writeFileSync(join(agent.folder, 'go'), '')
  await server.eventually(async () => (await agent.replies()).length === 3)
  const counts = (await agent.replies()).map((reply) => Number(reply.replace('one of ', '')))
  t.equal(Math.max(...counts), 2, counts.join())
})

t.test('a restart of agent run loses no wake and answers none twice', async (t) => {
  const server = await startServer(t)
  const agent = await startAgent(t, server)
  const first = await agent.run()
  await agent.say('once')
  await server.eventually(() => existsSync(join(agent.folder, 'begun')))
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  await agent.say('later')
  await agent.run()
  const expected = ['mention: @Helper once', 'mention: @Helper later']
  await server.eventually(async () => (await agent.replies()).length > 1)
  t.same(await agent.replies(), expected)

  const { deliveries } = (await server.request('GET', `/api/members/${agent.member.id}/webhook/deliveries`))
    .json
  const again = await server.request('POST', `/v1/wakes/${deliveries[0].id}/answer`, {
    key: agent.key,
    body: { body: 'once more' },
  })
  t.match(again, { status: 200, json: { state: 'delivered', replyId: /^msg_/ } })
  t.same(await agent.replies(), expected)
})

t.test('agents with a webhook, people, and keys without the scope take no wakes', async (t) => {
  const server = await startServer(t)
  const { member, key } = await server.addMember({ name: 'Helper', type: 'agent' }, 'general')
  const webhook = { url: 'https://agents.example/wake' }
  await server.request('PUT', `/api/members/${member.id}/webhook`, { key, body: webhook })
  const called = await server.request('POST', '/v1/wakes/take', { key, body: { wait: 0 } })
  t.match(called, { status: 409, json: { error: /agents\.example/ } })
  const person = await server.request('POST', '/v1/wakes/take', { body: { wait: 0 } })
  t.match(person, { status: 400, json: { error: /only agents/ } })
  const limited = await server.request('POST', `/api/members/${member.id}/keys`, {
    body: { scopes: ['rooms:read'] },
  })
  const refused = await server.request('POST', '/v1/wakes/take', { key: limited.json.key, body: { wait: 0 } })
  t.match(refused, { status: 403, json: { error: /webhooks:write/ } })
  t.match((await runWorkroom('agent', 'run', '--', 'cat')).stderr, /set WORKROOM_URL/)
  t.match((await runWorkroom('key', 'list', '--', 'cat')).stderr, /key list takes no program after --/)
})
