import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { makeRepository } from '../../support/code-repository.ts'
import { valuesOf, wrongValueFor } from '../../support/described/arbitrary.ts'
import {
  type DescribedOperation,
  type Description,
  readDescription,
} from '../../support/described/operations.ts'
import { DescribedWorld, refusedBodies, withNames } from '../../support/described/world.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import fc from '../../support/seeded-properties.ts'
import { startWorkroom, type Workroom } from '../../support/workroom.ts'

/** For each operation; `CONTRACT_RUNS=100` tests more thoroughly. */
const numRuns = Number(process.env.CONTRACT_RUNS ?? 2)

/** Keeps requests from being held. */
const fixedQuery: Record<string, Record<string, string>> = { followEvents: { wait: '0' } }

/** Refusals of the shape of a request, which one that fits the description must not get. */
const shapeRefusals =
  /There is no (?:field|parameter)|must contain the field (?!projectId or project)|[Tt]he field \w+ must be (?:a text|true or false|a list|an object|one of)|This request takes no body/

async function describedWorld(
  workroom: Workroom,
  source?: string,
): Promise<{ world: DescribedWorld; description: Description }> {
  const { json } = await workroom.request('GET', '/openapi.json', { key: undefined })
  return { world: new DescribedWorld(workroom, source), description: readDescription(json) }
}

interface Sent {
  query: Record<string, unknown>
  body: unknown
}

/** Generates requests from the description of an operation. */
function requestsOf(
  { parameters, body, operationId }: DescribedOperation,
  description: Description,
): fc.Arbitrary<Sent> {
  // A schema that allows nothing belongs to a parameter that is always refused.
  const inQuery = parameters.filter(({ in: place, schema }) => place === 'query' && !('not' in schema))
  const query = fc.record(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, valuesOf(schema, description)])),
    { requiredKeys: [] },
  )
  return fc.record({
    query: query.map((values) => ({ ...values, ...fixedQuery[operationId] })),
    body: body?.schema
      ? valuesOf(body.schema, description)
      : fc.constant(body === null ? undefined : '# A title\n'),
  })
}

async function send(
  { workroom }: DescribedWorld,
  operation: DescribedOperation,
  target: { path: string; key?: string },
  { query, body }: Sent,
): Promise<HttpResponse> {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  return workroom.request(operation.method, `${target.path}${search}`, {
    ...(target.key !== undefined && { key: target.key }),
    ...(body !== undefined && { body }),
    ...(typeof body === 'string' && operation.body && { headers: { 'Content-Type': operation.body.type } }),
  })
}

const describe = (operation: DescribedOperation, sent: Sent, { status, text }: HttpResponse) =>
  `${operation.operationId} ${JSON.stringify(sent)} was answered ${status} ${text.slice(0, 300)}`

// `startWorkroom` checks that every answer's status and shape are described.
t.test('a request that the description allows is answered as described', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  // Reading comes first, because it shares what is there.
  const operations = description.operations.toSorted(
    (one, other) => Number(one.method !== 'GET') - Number(other.method !== 'GET'),
  )
  for (const operation of operations) {
    const property = fc.asyncProperty(requestsOf(operation, description), async (sent) => {
      const response = await send(world, operation, await world.target(operation), sent)
      const isSurprising =
        response.status >= 500 || (response.status >= 400 && shapeRefusals.test(response.text))
      if (isSurprising) throw new Error(describe(operation, sent, response))
    })
    const { failed, errorInstance } = await fc.check(property, { numRuns })
    if (failed) t.fail((errorInstance as Error).message)
  }
  t.ok(operations.length > 150, `${operations.length} operations`)
})

t.test('a request that the description does not allow is refused', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  let refused = 0
  for (const operation of description.operations) {
    // Attempts to onboard are limited, wrong ones included.
    if (operation.operationId === 'onboard') continue
    const [valid] = fc.sample(requestsOf(operation, description), { numRuns: 1, seed: 1 }) as [Sent]
    const target = await world.target(operation)
    for (const [status, wrong] of wrongRequests(operation, valid)) {
      const response = await send(world, operation, target, wrong)
      t.equal(response.status, status, describe(operation, wrong, response))
      refused++
    }
  }
  t.ok(refused > 400, `${refused} requests`)
})

/** Returns requests that differ from a valid one in one thing, each with the expected status. */
function wrongRequests(operation: DescribedOperation, valid: Sent): [number, Sent][] {
  const { parameters, body, path } = operation
  const invalid = path.startsWith('/v1/fs') ? 422 : 400
  const wrong: [number, Sent][] = [[invalid, { ...valid, query: { unheard: 'of' } }]]
  for (const { name, schema } of parameters) {
    if (schema.type === 'integer') wrong.push([400, { ...valid, query: { [name]: 'many' } }])
  }
  if (body?.type !== 'application/json') return wrong
  const { properties = {}, required = [] } = body.schema!
  const fields = valid.body as Record<string, unknown>
  const query = {}
  wrong.push([invalid, { query, body: { ...fields, unheard: 'of' } }], [400, { query, body: [fields] }])
  for (const name of required) {
    const { [name]: _, ...others } = fields
    wrong.push([invalid, { query, body: others }])
  }
  for (const [name, schema] of Object.entries(properties)) {
    const value = wrongValueFor(schema)
    if (value !== null) wrong.push([invalid, { query, body: { ...fields, [name]: value } }])
  }
  return wrong
}

t.test('without a key every operation answers 401', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  for (const operation of description.operations) {
    if (operation.operationId === 'onboard') continue
    const path = operation.path.replace(/\{\w+\}/g, 'x')
    const { status } = await world.workroom.request(operation.method, path, { key: undefined })
    t.equal(status, 401, operation.operationId)
  }
})

/** Operations that no key can do, or that cannot be done in a test, with their status. */
const neverDone = new Map([
  // The delivery has not been sent yet.
  ['redeliverMemberWebhookDelivery', 409],
  // There is no forge with pull requests.
  ['readTreePull', 404],
  // A published post is immutable, and presence is not shown in posts, drafts and cards.
  ['editTreePost', 409],
  ['restoreTreePost', 409],
  ['createTreePostPresence', 422],
  ['deleteTreePostPresence', 422],
  ['createTreeCardPresence', 422],
  ['deleteTreeCardPresence', 422],
  ['createTreeDraftPresence', 422],
  ['deleteTreeDraftPresence', 422],
])

/** Operations that only a signed-in browser can do. */
const inBrowser = new Set(['createInboxDevice', 'updateInboxDevice', 'deleteInboxDevice'])

/** Query parameters of requests that need more than their body. */
const neededQuery: Record<string, (names: Record<string, string>) => Record<string, string>> = {
  deleteProject: ({ projectName }) => ({ name: projectName! }),
  deleteRoom: () => ({ name: 'Hall' }),
  followEvents: () => ({ wait: '0' }),
  listSkills: ({ project }) => ({ project: project! }),
  listTreeRefs: () => ({ q: 'hours' }),
  search: () => ({ q: 'hours' }),
  writeTreeFile: ({ revision }) => ({ expectedRevision: revision! }),
  writeTreeArtifact: ({ revision }) => ({ expectedRevision: revision! }),
}

t.test('every operation can be done with its example', async (t) => {
  const roots = join(t.testdirName, 'code')
  const workroom = await startWorkroom(t, {
    config: { repositories: { ...defaultConfig.repositories, roots: [roots] } },
    prepare: () => void mkdirSync(roots),
  })
  const { path: source } = makeRepository(join(roots, 'boats.git'), { 'README.md': '# Boats\n' })
  const { world, description } = await describedWorld(workroom, source)
  for (const operation of description.operations) {
    const { body, operationId } = operation
    const { names, ...target } = await world.target(operation)
    const example = body?.example ?? refusedBodies[operationId]
    const isUpload = operation.method === 'POST' && body?.type === 'application/octet-stream'
    const query = isUpload ? { name: `${operationId}.txt` } : {}
    const sent = {
      query: neededQuery[operationId]?.(names) ?? query,
      body: example === undefined ? undefined : withNames(example, names),
    }
    const response = inBrowser.has(operationId)
      ? await world.inBrowser(operation.method, target.path, sent.body)
      : await send(world, operation, target, sent)
    const refused = neverDone.get(operationId)
    if (refused === undefined) t.ok(response.status < 300, describe(operation, sent, response))
    else t.equal(response.status, refused, describe(operation, sent, response))
  }
  const names = new Set(description.operations.map(({ operationId }) => operationId))
  t.same(
    [...neverDone.keys(), ...inBrowser].filter((name) => !names.has(name)),
    [],
    'every exception is of an operation',
  )
  const withoutExample = description.operations
    .filter(({ body }) => body?.schema?.required?.length && body.example === undefined)
    .map(({ operationId }) => operationId)
  t.same(withoutExample, ['editTreePost', 'restoreTreePost'], 'published posts do not change')
})
