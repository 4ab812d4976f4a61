import type { Test } from 'tap'
import { connectMcp } from './mcp-client.ts'
import { startWorkroom, type Workroom } from './workroom.ts'

/** What an agent does in a workspace, in the order of measurement. */
export const tasks = [
  'find out where it is mentioned',
  'answer in the thread',
  'claim an ask',
  'edit one block while someone writes another',
  'write a draft and publish it',
  'move a card',
  'follow events over three polls',
  'publish a skill',
  'link two documents and read the backlinks',
  'clear the inbox',
] as const
type Task = (typeof tasks)[number]

export interface Cost {
  requests: number
  bytes: number
}
export type Costs = Record<Task | 'connect', Cost>

const project = 'projects/general'
const tree = `/v1/fs/${project}`
const skill = '---\nname: tides\ndescription: When to sail.\n---\n\n# Tides\n\nAsk the moon.\n'
const changed = 'The north pier is painted in **May**.'

interface Harbour extends Workroom {
  bot: { key: string }
  roomId: string
  writeMeanwhile(): Promise<unknown>
  say(text: string): Promise<unknown>
}

/** Opens a workspace with some documents, a mention, an ask and cards. */
async function harbour(t: Test): Promise<Harbour> {
  const workroom = await startWorkroom(t)
  const { request, owner } = workroom
  const bot = await workroom.addMember(
    { name: 'Harbour Bot', type: 'agent', ownerId: owner.member.id },
    'general',
  )
  const piers = ['north', 'south', 'east'].map(
    (side) => `## The ${side} pier\n\nThe ${side} pier is painted in April.\n`,
  )
  const put = (path: string, body: string) => request('PUT', `${tree}/${path}`, { body })
  await put('docs/piers.md', `# Piers\n\n${piers.join('\n')}`)
  for (const name of ['Tides', 'Boats', 'Ropes', 'Winds'])
    await put('docs/x.md', `# ${name}\n\nAbout ${name}.\n`)
  for (const name of ['Paint the boat', 'Mend the net'])
    await put('board/02-todo/x.md', `# ${name}\n\nSoon.\n`)
  await request('POST', '/api/asks', { body: { project: 'general', title: 'Count the boats' } })
  const rooms = (await request('GET', '/api/rooms', { key: bot.key })).json
  const roomId = rooms[0]._id as string
  const say = (body: string) => request('POST', `/api/rooms/${roomId}/messages`, { body: { body } })
  await say(`When is high water, @[Harbour Bot](${bot.member.id})?`)
  const writeMeanwhile = () =>
    request('PATCH', `${tree}/docs/piers.md`, {
      body: {
        edits: [{ find: 'The south pier is painted in April.', replace: 'The south pier is closed.' }],
      },
    })
  return {
    ...workroom,
    get url() {
      return workroom.url
    },
    bot,
    roomId,
    say,
    writeMeanwhile,
  }
}

class Meter {
  readonly costs = {} as Costs
  private cost: Cost = { requests: 0, bytes: 0 }

  count(body: string | Uint8Array): void {
    this.cost.requests += 1
    this.cost.bytes += Buffer.byteLength(body)
  }

  async measure<T>(task: Task | 'connect', work: () => Promise<T>): Promise<T> {
    this.cost = { requests: 0, bytes: 0 }
    const result = await work()
    this.costs[task] = this.cost
    return result
  }
}

/** Does the tasks by requests to the interface, as with `curl`. */
export async function doByCurl(t: Test): Promise<Costs> {
  const { request, bot, writeMeanwhile, say } = await harbour(t)
  const meter = new Meter()
  const curl = async (method: string, path: string, body?: unknown) => {
    const response = await request(method, path, { key: bot.key, ...(body !== undefined && { body }) })
    meter.count(response.text)
    t.ok(response.status < 300, `${method} ${path} ${response.status} ${response.text.slice(0, 200)}`)
    return response.json
  }
  // The first page and the pages that it names for these tasks.
  await meter.measure('connect', async () => {
    for (const page of ['', '/help/requests.md', '/help/rooms.md', '/help/good-to-know.md']) {
      await curl('GET', `/v1/fs${page}`)
    }
  })
  const { records } = await meter.measure(tasks[0], () => curl('GET', '/v1/inbox'))
  await meter.measure(tasks[1], () =>
    curl('POST', `/api/rooms/${records[0].placeId}/messages`, { body: 'At six.', threadId: records[0]._id }),
  )
  await meter.measure(tasks[2], async () => {
    const { asks } = await curl('GET', '/api/asks?project=general&state=open')
    await curl('POST', `/api/asks/${asks[0]._id}/claim`)
  })
  await meter.measure(tasks[3], async () => {
    const { blocks } = await curl('GET', `${tree}/docs/piers.md?view=blocks`)
    await writeMeanwhile()
    const { id } = blocks.find(({ text }: { text: string }) => text.startsWith('The north pier'))
    await curl('PATCH', `${tree}/docs/piers.md`, { edits: [{ block: id, text: changed }] })
  })
  await meter.measure(tasks[4], async () => {
    const { path } = await curl('PUT', `${tree}/drafts/news.md`, '# News\n\nFor all.\n')
    await curl('POST', `${path}/_publish`)
  })
  await meter.measure(tasks[5], async () => {
    const { cards } = await curl('GET', `${tree}/board/02-todo`)
    await curl('POST', `${cards[0].path}/_move`, { toColumn: '03-in-progress' })
  })
  await meter.measure(tasks[6], async () => {
    let since: number | string = `${Date.now()}`
    for (const text of ['', 'One.', 'Two.']) {
      if (text) await say(text)
      since = (await curl('GET', `/v1/events?since=${since}&wait=${text ? 25 : 0}`)).cursor as number
    }
  })
  await meter.measure(tasks[7], async () => {
    const expected = { project: 'general', name: 'tides', expectedVersion: 0 }
    await curl('POST', '/v1/skills', { ...expected, expectedDraftRevision: 0, files: { 'SKILL.md': skill } })
    await curl('POST', '/v1/skills/publish', { ...expected, expectedDraftRevision: 1 })
  })
  await meter.measure(tasks[8], async () => {
    await curl('PATCH', `${tree}/docs/boats.md`, { edits: [{ append: 'See [[Tides]].\n' }] })
    const { backlinks } = await curl('GET', `${tree}/docs/tides.md/_backlinks`)
    t.match(backlinks, [{ title: 'Boats' }])
  })
  await meter.measure(tasks[9], () => curl('POST', '/v1/inbox/read', {}))
  return meter.costs
}

/** Does the tasks by the tools of `/mcp`. */
export async function doByMcp(t: Test): Promise<Costs> {
  const { request, url, bot, writeMeanwhile, say } = await harbour(t)
  const meter = new Meter()
  const countingFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    // The client reads the stream of a session, not the agent.
    if (init?.method !== 'POST') return response
    const body = await response.text()
    meter.count(body)
    return new Response(response.status === 202 ? null : body, response)
  }
  const { call, client } = await meter.measure('connect', async () => {
    const connected = await connectMcp(t, url, { key: bot.key, fetch: countingFetch })
    await connected.client.listTools()
    await connected.call('orient')
    return connected
  })
  const use: typeof call = async (name, args) => {
    const result = await call(name, args)
    t.notOk(result.isError, `${name} ${result.text}`)
    return result
  }
  const value = async (name: string, args?: Record<string, unknown>) => (await use(name, args)).value
  const { records } = await meter.measure(tasks[0], () => value('inbox'))
  const [{ room, id: thread }] = records
  await meter.measure(tasks[1], () => use('say', { room, thread, text: 'At six.' }))
  await meter.measure(tasks[2], async () => {
    const { asks } = await value('asks', { action: 'list', project: 'general' })
    await use('asks', { action: 'claim', ask: asks[0].id })
  })
  await meter.measure(tasks[3], async () => {
    const path = `${project}/docs/piers.md`
    await use('read', { path })
    await writeMeanwhile()
    await use('edit', { path, edits: [{ find: 'The north pier is painted in April.', replace: changed }] })
  })
  await meter.measure(tasks[4], async () => {
    const { path } = await value('write', { path: `${project}/drafts/news.md`, text: '# News\n\nFor all.\n' })
    await use('move', { path, to: 'posts' })
  })
  await meter.measure(tasks[5], async () => {
    const { entries } = await value('list', { path: `${project}/board/02-todo` })
    await use('move', { path: entries[0].path, to: '03-in-progress' })
  })
  await meter.measure(tasks[6], async () => {
    let since: number | undefined
    for (const text of ['', 'One.', 'Two.']) {
      if (text) await say(text)
      since = (await value('follow', { since })).cursor
    }
  })
  await meter.measure(tasks[7], () => use('write', { path: `${project}/skills/tides/SKILL.md`, text: skill }))
  await meter.measure(tasks[8], async () => {
    await use('edit', { path: `${project}/docs/boats.md`, edits: [{ append: 'See [[Tides]].\n' }] })
    const { entries } = await value('list', { path: `${project}/docs/tides.md/_backlinks` })
    t.match(entries, [{ title: 'Boats' }])
  })
  t.match(await meter.measure(tasks[9], () => value('inbox', { markRead: 'all' })), { markedRead: 1 })
  t.match((await request('GET', `${tree}/docs/piers.md`)).text, /\*\*May\*\*[\s\S]*south pier is closed/)
  await client.close()
  return meter.costs
}

/** The sum of the tasks, without connecting. */
export const total = (costs: Costs): Cost => ({
  requests: tasks.reduce((sum, task) => sum + costs[task].requests, 0),
  bytes: tasks.reduce((sum, task) => sum + costs[task].bytes, 0),
})
