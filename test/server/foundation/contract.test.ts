import t from 'tap'
import { valuesOf, wrongValueFor } from '../../support/described/arbitrary.ts'
import {
  type DescribedOperation,
  type Description,
  readDescription,
} from '../../support/described/operations.ts'
import { DescribedWorld, withNames } from '../../support/described/world.ts'
import type { Answer } from '../../support/http-client.ts'
import fc from '../../support/seeded-properties.ts'
import { startWorkroom, type Workroom } from '../../support/workroom.ts'

t.setTimeout(240_000)

/** For each operation; `CONTRACT_RUNS=100` looks longer. */
const numRuns = Number(process.env.CONTRACT_RUNS ?? 2)

/** Holds no request for news. */
const fixedQuery: Record<string, Record<string, string>> = { followEvents: { wait: '0' } }

/** What makes a request that fits the description one that does not. */
const shapeRefusals =
  /There is no (?:field|parameter)|must hold the field (?!projectId or project)|[Tt]he field \w+ must be (?:a text|true or false|a list|an object|one of)|This call takes no body/

async function describedWorld(
  workroom: Workroom,
): Promise<{ world: DescribedWorld; description: Description }> {
  const { json } = await workroom.request('GET', '/openapi.json', { key: undefined })
  return { world: new DescribedWorld(workroom), description: readDescription(json) }
}

interface Sent {
  query: Record<string, unknown>
  body: unknown
}

/** Requests by the description of an operation. */
function requestsOf(
  { parameters, body, operationId }: DescribedOperation,
  description: Description,
): fc.Arbitrary<Sent> {
  // A schema that allows nothing is of a parameter that is refused whatever it says.
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
): Promise<Answer> {
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)])
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
  return workroom.request(operation.method, `${target.path}${search}`, {
    ...(target.key !== undefined && { key: target.key }),
    ...(body !== undefined && { body }),
    ...(typeof body === 'string' && operation.body && { headers: { 'Content-Type': operation.body.type } }),
  })
}

const toldOf = (operation: DescribedOperation, sent: Sent, { status, text }: Answer) =>
  `${operation.operationId} ${JSON.stringify(sent)} was answered ${status} ${text.slice(0, 300)}`

// That a status and the shape of its answer are described is checked of every answer (`startWorkroom`).
t.test('what the description allows is answered as described', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  // What only reads comes first: it shares what is there.
  const operations = description.operations.toSorted(
    (one, other) => Number(one.method !== 'GET') - Number(other.method !== 'GET'),
  )
  for (const operation of operations) {
    const property = fc.asyncProperty(requestsOf(operation, description), async (sent) => {
      const answer = await send(world, operation, await world.target(operation), sent)
      const isSurprising = answer.status >= 500 || (answer.status >= 400 && shapeRefusals.test(answer.text))
      if (isSurprising) throw new Error(toldOf(operation, sent, answer))
    })
    const { failed, errorInstance } = await fc.check(property, { numRuns })
    if (failed) t.fail((errorInstance as Error).message)
  }
  t.ok(operations.length > 150, `${operations.length} operations`)
})

t.test('what the description does not allow is refused', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  let refused = 0
  for (const operation of description.operations) {
    // Attempts to onboard are limited, wrong ones too.
    if (operation.operationId === 'onboard') continue
    const [valid] = fc.sample(requestsOf(operation, description), { numRuns: 1, seed: 1 }) as [Sent]
    const target = await world.target(operation)
    for (const [status, wrong] of wrongRequests(operation, valid)) {
      const answer = await send(world, operation, target, wrong)
      t.equal(answer.status, status, toldOf(operation, wrong, answer))
      refused++
    }
  }
  t.ok(refused > 400, `${refused} requests`)
})

/** Requests that differ from a valid one in one thing, with the status that says so. */
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

t.test('without a key nothing is answered but 401', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  for (const operation of description.operations) {
    if (operation.operationId === 'onboard') continue
    const path = operation.path.replace(/\{\w+\}/g, 'x')
    const { status } = await world.workroom.request(operation.method, path, { key: undefined })
    t.equal(status, 401, operation.operationId)
  }
})

/** What the machine of a test cannot do: fetch from another, or be a browser. */
const notHere = new Set(['createRepository', 'createInboxDevice'])

t.test('every example of the description does what it shows', async (t) => {
  const { world, description } = await describedWorld(await startWorkroom(t))
  const operations = description.operations.filter(({ operationId }) => !notHere.has(operationId))
  for (const operation of operations) {
    const { body } = operation
    if (body?.example === undefined) continue
    const { names, ...target } = await world.target(operation)
    const sent = { query: {}, body: withNames(body.example, names) }
    const answer = await send(world, operation, target, sent)
    t.ok(answer.status < 300, toldOf(operation, sent, answer))
  }
  const withoutExample = operations
    .filter(({ body }) => body?.schema?.required?.length && body.example === undefined)
    .map(({ operationId }) => operationId)
  t.same(withoutExample, ['editTreePost', 'restoreTreePost'], 'a published post is not changed')
})
