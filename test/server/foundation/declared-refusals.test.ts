import t from 'tap'
import {
  type DescribedOperation,
  type Description,
  readDescription,
} from '../../support/described/operations.ts'
import { DescribedWorld, refusedBodies, withNames } from '../../support/described/world.ts'
import { sendRaw } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request } = workroom
const world = new DescribedWorld(workroom)
const { json } = await request('GET', '/openapi.json', { key: undefined })
const description: Description = readDescription(json)
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const limited = await workroom.addMember({ name: 'Limited', type: 'agent', scopes: ['webhooks:write'] })

const refusing = (status: number) =>
  description.operations.filter(({ statuses }) => statuses.includes(status))

const isUpload = ({ body }: DescribedOperation) => body?.type === 'application/octet-stream'

interface Sent {
  key?: string | undefined
  headers?: Record<string, string>
  /** Replaces the names of what is there. */
  names?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

interface Target {
  path: string
  names: Record<string, string>
  key?: string | undefined
}

/** Sends a request that changes nothing. @returns the status */
const statusOf = async (operation: DescribedOperation, sent: Sent = {}): Promise<number> =>
  statusAt(operation, await world.target(operation, true), sent)

/** Sends an operation's example, changed by `sent`. @returns the status */
async function statusAt(operation: DescribedOperation, target: Target, sent: Sent): Promise<number> {
  const { method, body } = operation
  const names = { ...target.names, ...sent.names }
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown')
  const isHeld = operation.operationId === 'followEvents'
  const needed = {
    ...(isHeld && { wait: '0' }),
    ...(method === 'POST' && isUpload(operation) && { name: 'a.txt' }),
  }
  const query = new URLSearchParams({ ...needed, ...sent.query })
  const given = body?.example ?? refusedBodies[operation.operationId]
  const example = given === undefined ? undefined : withNames(given, names)
  const sentBody = 'body' in sent ? sent.body : example
  const key = sent.key ?? target.key
  const { status } = await request(method, query.size === 0 ? path : `${path}?${query}`, {
    ...(key !== undefined && { key }),
    ...(sentBody !== undefined && { body: sentBody }),
    headers: { ...(typeof sentBody === 'string' && { 'Content-Type': body!.type }), ...sent.headers },
  })
  return status
}

/** Returns the first status that is `sought`, or else all of them. */
async function firstOf(sought: number, tries: Iterable<() => Promise<number>>): Promise<number | number[]> {
  const others = []
  for (const attempt of tries) {
    const status = await attempt()
    if (status === sought) return status
    others.push(status)
  }
  return others
}

t.test('operations that declare 404 answer it if something named in a request does not exist', async (t) => {
  for (const operation of refusing(404)) {
    const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      names: { [name!]: 'unheard-of' },
    }))
    const inBody = Object.entries(operation.body?.schema?.properties ?? {})
      .filter(([name]) => /^(?:project|projects|rooms|members)$|Id$/.test(name))
      .map(([name, { type }]) => ({
        body: {
          ...(operation.body!.example as object),
          [name]: type === 'array' ? ['unheard-of'] : 'unheard-of',
        },
      }))
    const inQuery = operation.parameters
      .filter(({ in: place, name }) => place === 'query' && /^(?:project|member)$/.test(name))
      .map(({ name }) => ({
        query: { ...('search' === operation.operationId && { q: 'x' }), [name]: 'unheard-of' },
      }))
    const tries = [...inPath, ...inBody, ...inQuery].map((sent) => () => statusOf(operation, sent))
    t.equal(await firstOf(404, tries), 404, operation.operationId)
  }
})

t.test('reads that declare 403 answer it without membership or scope, and no other read does', async (t) => {
  for (const operation of refusing(403).filter(({ method }) => method === 'GET')) {
    const isLimited = operation.parameters.some(
      ({ in: place, name }) => place === 'query' && name === 'project',
    )
    const query = isLimited
      ? { project: 'general', ...(operation.operationId === 'search' && { q: 'x' }) }
      : {}
    const tries = [limited, stranger].map(
      ({ key }) =>
        () =>
          statusOf(operation, { key, query }),
    )
    t.equal(await firstOf(403, tries), 403, operation.operationId)
  }
  const forAll = description.operations.filter(({ statuses }) => !statuses.includes(403))
  t.ok(forAll.length > 5)
  for (const operation of forAll)
    t.not(await statusOf(operation, { key: limited.key }), 403, operation.operationId)
})

t.test('a long or compressed body, and a range beyond the file, get the declared status', async (t) => {
  const key = owner.key
  for (const operation of refusing(413).filter(({ body }) => body !== null)) {
    const { path } = await world.target(operation, true)
    const head = [
      `${operation.method} ${path}${operation.method === 'POST' && isUpload(operation) ? '?name=a.txt' : ''} HTTP/1.1`,
      'Host: localhost',
      ...(isUpload(operation) ? ['If-Match: *'] : []),
      `Authorization: Bearer ${key}`,
      `Content-Type: ${operation.body!.type}`,
      'Content-Length: 1000000000',
      'Connection: close',
    ]
    t.match(await sendRaw(workroom.url, `${head.join('\r\n')}\r\n\r\n`), /^HTTP\/1\.1 413 /, path)
  }
  for (const operation of refusing(415)) {
    const status = await statusOf(operation, { headers: { 'Content-Encoding': 'gzip', 'If-Match': '*' } })
    t.equal(status, 415, operation.operationId)
  }
  for (const operation of refusing(416)) {
    const status = await statusOf(operation, { headers: { Range: 'bytes=1000000-' } })
    t.equal(status, 416, operation.operationId)
  }
})

t.test('operations that declare 405 answer it at the path of another call', async (t) => {
  for (const operation of refusing(405)) {
    const tries = ['_move', '_revisions', 'below.txt'].map((below) => async () => {
      const target = await world.target(operation, true)
      return statusAt(operation, target, { names: { name: `${target.names.name}/${below}` } })
    })
    t.equal(await firstOf(405, tries), 405, operation.operationId)
  }
})

/** Conflicts of operations that need a condition of their own. */
const conflictOf: Record<string, (operation: DescribedOperation, target: Target) => Promise<number>> = {
  createMember: (operation, target) => statusAt(operation, target, { body: { name: 'Ada', type: 'human' } }),
  createProject: (operation, target) => statusAt(operation, target, { body: { name: 'X', slug: 'general' } }),
  deleteRoom: (operation, target) =>
    statusAt(operation, target, { names: { roomId: 'general' }, query: { name: 'general' } }),
  async deleteRoomMember(operation, target) {
    const room = { name: 'Two', type: 'direct', members: [target.names.memberId] }
    const { json } = await request('POST', '/api/rooms', { body: room })
    return statusAt(operation, target, { names: { roomId: json._id } })
  },
  onboard: (operation, target) =>
    statusAt(operation, target, { body: { invite: target.names.code, name: 'Ada', type: 'human' } }),
  async removeProjectMember(_, { names: { memberId, project } }) {
    const members = `/v1/projects/${project}/members`
    const lead = await workroom.addMember({ name: 'Lead', type: 'human' })
    await request('POST', members, { body: { memberId: lead.member.id, role: 'lead' } })
    for (const other of [owner.member.id, memberId]) await request('DELETE', `${members}/${other}`)
    return (await request('DELETE', `${members}/${lead.member.id}`, { key: lead.key })).status
  },
  async saveSkill(operation, target) {
    await statusAt(operation, target, {})
    return statusAt(operation, target, {})
  },
  async takeWakes(operation, target) {
    const webhook = { body: { url: 'https://agents.example/wake' } }
    await request('PUT', `/api/members/${target.names.memberId}/webhook`, webhook)
    return statusAt(operation, target, {})
  },
  updateMember: (operation, target) => statusAt(operation, target, { body: { name: 'Ada' } }),
  updateProject: (operation, target) => statusAt(operation, target, { body: { slug: 'general' } }),
}

/** Ends what a request needs: archives, cancels, deletes or deactivates it. */
async function end({ memberId, roomId, askId, postId, commentId, project }: Target['names']): Promise<void> {
  if (roomId) await request('PATCH', `/api/rooms/${roomId}`, { body: { archived: true } })
  else if (memberId) await request('PATCH', `/api/members/${memberId}`, { body: { status: 'deactivated' } })
  if (askId) await request('POST', `/api/asks/${askId}/cancel`)
  if (commentId) await request('DELETE', `/v1/posts/${postId}/comments/${commentId}`)
  if (project !== 'general') await request('PATCH', `/v1/projects/${project}`, { body: { archived: true } })
}

t.test('changes that declare 409 answer it if the state of the resource does not allow them', async (t) => {
  // Attempts to onboard are counted by the hour.
  workroom.clock.advance(60 * 60 * 1000)
  const changes = refusing(409)
  t.same(
    changes.filter(({ method }) => method === 'GET'),
    [],
    'no read declares a conflict',
  )
  const ofProject: DescribedOperation[] = []
  for (const operation of changes) {
    const { operationId, parameters, path } = operation
    const stale = { headers: { 'If-Match': '"00000000000000000000"' } }
    if (parameters.some(({ name }) => name === 'If-Match')) {
      t.equal(await statusOf(operation, stale), 409, operationId)
    } else if (operationId in conflictOf) {
      t.equal(await conflictOf[operationId]!(operation, await world.target(operation)), 409, operationId)
    } else if (path.startsWith('/v1/fs/projects/')) ofProject.push(operation)
    else {
      const target = await world.target(operation)
      await end(target.names)
      if ((await statusAt(operation, target, {})) !== 409) ofProject.push(operation)
    }
  }
  const targets = new Map<DescribedOperation, Target>()
  for (const operation of ofProject) targets.set(operation, await world.target(operation, true))
  await request('PATCH', '/v1/projects/general', { body: { archived: true } })
  for (const [operation, target] of targets)
    t.equal(await statusAt(operation, target, {}), 409, operation.operationId)
})
