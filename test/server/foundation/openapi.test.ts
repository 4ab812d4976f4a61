import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { openApiDocument } from '../../../server/openapi/document.ts'
import { endpointsOfRoutes } from '../../support/app-endpoints.ts'
import { checkResponses } from '../../support/checked-responses.ts'
import { describedDifference } from '../../support/described-responses.ts'
import { startWorkroom } from '../../support/workroom.ts'

t.test('the description of the interface is valid and needs no key', async (t) => {
  const { request } = await startWorkroom(t)
  const { status, headers, json } = await request('GET', '/openapi.json', { key: undefined })
  t.equal(status, 200)
  t.match(headers['content-type'], /^application\/json/)
  const { valid, errors } = await new Validator().validate(json)
  t.ok(valid, JSON.stringify(errors))
  t.equal(json.openapi, '3.1.1')
})

t.test('every endpoint is described with its input and its answers', async (t) => {
  const endpoints = endpointsOfRoutes().filter(({ path }) => /^\/(?:api|v1)\//.test(path))
  const { paths } = openApiDocument(endpoints) as { paths: Record<string, Record<string, Operation>> }
  const ids = new Set<string>()
  for (const { method, path, accepts } of endpoints) {
    const operation = paths[path.replace(/[:*](\w+)/g, '{$1}')]![method.toLowerCase()]!
    const what = `${method} ${path}`
    ids.add(operation.operationId)
    t.ok(operation.summary, what)
    t.ok(Object.keys(operation.responses).length > 1, `${what} has answers`)
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
    t.same(
      query.map(({ name }) => name),
      Object.keys(accepts!.query),
      what,
    )
    for (const { name, description } of operation.parameters ?? [])
      t.match(description, /^(?!undefined)\S/, `${what} describes ${name}`)
    t.equal(operation.requestBody !== undefined, accepts!.body !== 'none', what)
  }
  t.equal(ids.size, endpoints.length, 'each has its own operation id')
  for (const id of ids) t.match(id, /^[a-z][A-Za-z]+$/)
  const listed = ['listRooms', 'postMessage', 'claimAsk', 'createProject', 'readTreeDoc', 'writeTreeDoc']
  for (const id of listed) t.ok(ids.has(id), id)
})

t.test('every operation has a subject and names its refusals', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  const subjects = json.tags.map(({ name }: { name: string }) => name)
  for (const operation of Object.values(json.paths).flatMap((methods) => Object.values(methods as object))) {
    const { operationId, tags, responses } = operation
    t.ok(subjects.includes(tags[0]), operationId)
    const refusals = Object.keys(responses).filter((status) => Number(status) >= 400)
    t.ok(refusals.includes('400') && refusals.includes('429'), operationId)
    for (const status of refusals) t.match(responses[status].$ref, /^#\/components\/responses\//)
  }
  const { code } = json.components.schemas.Refusal.properties
  t.ok(code.enum.includes('conflict') && code.enum.includes('too_many_requests'))
  const validate = new Ajv2020({ strict: false }).addSchema({ $id: 'o', components: json.components })
  for (const [name, { content }] of Object.entries<Refusal>(json.components.responses)) {
    const schema = { $ref: `o#/components/responses/${name}/content/application~1json/schema` }
    t.ok(validate.validate(schema, content['application/json'].example), name)
  }
})

t.test('the description has the possible values and the defaults', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  // biome-ignore lint/suspicious/noExplicitAny: as JSON
  const operations: any[] = Object.values(json.paths).flatMap((methods) => Object.values(methods as object))
  const field = (operation: string, name: string) => {
    const { requestBody } = operations.find(({ operationId }) => operationId === operation)
    const { $ref } = requestBody.content['application/json'].schema
    return json.components.schemas[$ref.split('/').at(-1)].properties[name]
  }
  const query = (path: string, method: string, name: string) =>
    json.paths[path][method].parameters.find((parameter: { name: string }) => parameter.name === name)
  t.match(field('setRoomInvolvement', 'involvement'), { type: 'string', enum: ['everything'] })
  t.ok(field('createMemberKey', 'scopes').items.enum.includes('rooms:read'))
  t.ok(field('createMember', 'scopes').items.enum.includes('*'))
  t.ok(field('updateInboxSettings', 'mail').items.enum.includes('mention'))
  t.ok(field('updateInboxDevice', 'kinds').items.enum.includes('mention'))
  t.match(field('updateInboxSettings', 'pauseMinutes'), { type: 'integer', minimum: 0 })
  t.match(field('saveSkill', 'files'), { type: 'object', additionalProperties: { type: 'string' } })
  t.match(field('createRepository', 'forge'), { required: ['api', 'owner', 'name'] })
  t.match(field('editTreeDoc', 'edits'), { minItems: 1, maxItems: 100 })
  t.same(
    field('editTreeDoc', 'edits').items.anyOf.map(({ required }: { required: string[] }) => required),
    [['block', 'text'], ['find', 'replace'], ['append']],
  )
  t.match(query('/v1/search', 'get', 'type').schema, { enum: ['document'] })
  t.match(query('/v1/search', 'get', 'limit').schema, { type: 'integer', maximum: 50, default: 20 })
  t.match(query('/v1/events', 'get', 'wait').schema, { type: 'number', default: 25 })
  const document = '/v1/fs/projects/{project}/docs/{name}'
  t.same(query(document, 'get', 'view').schema.enum, ['blocks', 'outline'])
  t.match(query(document, 'delete', 'view'), { schema: { not: {} }, description: /^Refused/ })
  t.match(query(`${document}/_presence`, 'post', 'kind').schema, { enum: ['viewing', 'editing'] })
})

t.test('the description names the headers of conditions and of their answers', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  const { get, put } = json.paths['/v1/fs/projects/{project}/docs/{name}']
  const headersOf = ({ parameters }: Operation) =>
    parameters!.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
  t.same(headersOf(get), ['If-None-Match'])
  t.ok(get.responses[304], 'a 304 is described')
  t.match(get.responses[200].headers, { ETag: { description: String }, 'X-Service-Revision': Object })
  t.same(headersOf(put), ['If-Match', 'If-None-Match'])
  t.match(put.responses[201].headers, { ETag: Object, 'X-Service-Url': Object })
  const post = json.paths['/api/rooms/{roomId}/messages'].post
  t.same(headersOf(post), ['Idempotency-Key', 'X-Service-Client'])
  const file = json.paths['/api/rooms/{roomId}/attachments/{id}'].get
  t.ok(headersOf(file).includes('Range') && file.responses[206])
  t.match(json.paths['/v1/events'].get.responses[200].headers, { 'X-Service-Events-Head': Object })
})

t.test('each refusal allows only the code of its status', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  const { responses, schemas } = json.components
  const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'o', components: { responses, schemas } })
  const allows = (response: string, refusal: object) =>
    ajv.validate({ $ref: `o#/components/responses/${response}/content/application~1json/schema` }, refusal)
  const refusal = { error: 'It is taken.', requestId: 'req_1' }
  t.ok(allows('Conflict', { ...refusal, code: 'conflict' }))
  t.notOk(allows('Conflict', { ...refusal, code: 'not_found' }))
  t.ok(allows('TreeNotFound', { error: 'not_found', message: 'There is none.', requestId: 'req_1' }))
  t.notOk(allows('TreeNotFound', { error: 'conflict', message: 'There is one.', requestId: 'req_1' }))
})

interface Refusal {
  content: { 'application/json': { example: object } }
}

interface Operation {
  operationId: string
  summary?: string
  parameters?: { name: string; in: string; description?: string }[]
  requestBody?: object
  responses: Record<string, object>
}

t.test('a difference between an answer and its description is found', async (t) => {
  const response = { status: 200, headers: {}, text: '{}' }
  t.equal(describedDifference('GET', '/api/members', { ...response, json: [] }), null)
  t.match(describedDifference('GET', '/api/members?x=1', { ...response, json: {} }), /must be array/)
  t.match(
    describedDifference('GET', '/api/invites', { ...response, json: {} }),
    /required property 'invites'/,
  )
  const more = { ...response, json: { read: 1, more: true } }
  t.match(describedDifference('POST', '/api/inbox/read', more), /additional properties.*more/)
  const page = { ...response, headers: { 'content-type': 'text/html' }, json: undefined }
  t.match(describedDifference('GET', '/api/members', page), /text\/html is not described/)
  t.equal(describedDifference('GET', '/api/invites', { ...page, status: 403 }), null, 'people see a page')
  t.match(describedDifference('GET', '/api/members', { ...page, status: 202 }), /202 is not described/)
  t.match(
    describedDifference('POST', '/v1/projects', { ...response, json: {} }),
    /200 with JSON is not described/,
  )
  const refusal = { ...response, json: { error: 'No.', code: 'conflict', requestId: 'req_1' } }
  t.equal(describedDifference('POST', '/v1/projects', { ...refusal, status: 409 }), null)
  for (const [method, path, status] of [
    ['GET', '/v1/projects', 409],
    ['GET', '/api/members', 403],
    ['GET', '/api/workspace', 404],
    ['POST', '/v1/projects', 404],
  ] as const) {
    const difference = describedDifference(method, path, { ...refusal, status })
    t.match(difference, `${status} with JSON is not described`, 'nor are undeclared refusals')
  }
})

t.test('every answer of a server is compared with the description, for every caller', async (t) => {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.write('{"members":')
    response.end(request.url === '/api/members' ? '[]}' : '[], "more": true}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const differences: string[] = []
  t.teardown(
    checkResponses(
      () => port,
      (difference) => differences.push(difference),
    ),
  )
  t.teardown(() => server.close())
  for (const path of ['/api/members', '/v1/projects/general/members', '/elsewhere'])
    await (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  t.match(differences, [/api\/members.*must be array/, /additional properties.*more/])
  t.equal(differences.length, 2)
})
