import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteAnswer, type Routes } from '../context.ts'
import type { DescribedHeaders } from '../described-headers.ts'
import type { Endpoint } from '../endpoints.ts'
import type { Shape } from '../request-fields.ts'
import { exampleFile, examples } from './examples.ts'
import { operationName } from './operation-names.ts'
import { refusalComponents, refusalsOf } from './refusals.ts'
import { bodySchema, inputSchema, type Json, type Named, type Operation, schemasOf } from './schemas.ts'
import { tagOf, tags } from './tags.ts'

/** Needs no key. `description` is called once, at the first request. */
export function openApiRoutes(description: () => object): Routes {
  let json: string | undefined
  return newRoutes()
    .purpose('Read the OpenAPI description; needs no key')
    .get('/openapi.json', accepts({}), (ctx) => {
      json ??= JSON.stringify(description())
      ctx.set('Cache-Control', 'no-cache')
      ctx.type = 'application/json; charset=utf-8'
      ctx.body = json
    })
}

/** Describes every endpoint under `/api` and `/v1` as OpenAPI 3.1. */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const operations = endpoints
    .filter(({ path }) => /^\/(?:api|v1)(?:\/|$)/.test(path))
    .map((endpoint): Operation => ({ ...endpoint, id: operationName(endpoint) }))
  const { named, schemas } = schemasOf(operations)
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    const path = templatePath(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, named) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Workroom', version: '1', description },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas,
      responses: refusalComponents(named),
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const description =
  'Rooms, projects, asks, events and the file tree of one workspace. Times are Unix milliseconds. Unknown parameters and fields are refused by name.'

function operationObject(operation: Operation, named: Named): Json {
  const { id, path, purpose, accepts } = operation
  const parameters = [
    ...pathParameters(path),
    ...queryParameters(accepts?.query ?? {}),
    ...headerParameters(accepts?.headers ?? {}),
  ]
  return {
    operationId: id,
    tags: [tagOf(path).name],
    ...(purpose !== undefined && { summary: purpose }),
    ...(path === '/v1/onboard' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, named),
    responses: {
      ...successes(operation, named),
      ...refusalsOf(operation),
    },
  }
}

const templatePath = (path: string) => path.replace(/[:*](\w+)/g, '{$1}')

const meanings: Readonly<Record<string, string>> = {
  askId: 'An ask, by its id',
  column: 'A column, such as 02-todo, todo or To do',
  commentId: 'A comment, by its id',
  deliveryId: 'A delivery, by its id',
  dir: 'A repository, by the name of its folder',
  emoji: 'An emoji, percent-encoded, or its name as :+1:',
  id: 'An id, as lists and answers have it; a member also by slug or exact name',
  keyId: 'A key, by its id',
  memberId: 'A member, by id, slug or exact name',
  messageId: 'A message, by its id',
  name: 'A name, as the list of its folder has it; a document also by the slug of its title, or by its id',
  number: 'A pull request, by its number',
  path: 'A path below the folder',
  postId: 'The id of the post, document or card',
  project: 'A project, by its slug or id',
  room: 'A room, by its slug or id, with or without .md',
  roomId: 'A room, by its id or slug',
  topic: 'A topic, as the list of help pages has it',
}

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/([:*])(\w+)/g)].map(([, kind, name]) => ({
    name,
    in: 'path',
    required: true,
    description: `${meanings[name!]}${kind === '*' ? '; slashes are not encoded' : ''}`,
    schema: { type: 'string' },
  }))

const queryParameters = (query: Shape): Json[] =>
  Object.entries(query).map(([name, type]) => {
    const { description, ...schema } = inputSchema(type)
    const list = schema.type === 'array' ? { style: 'form', explode: false } : {}
    return { name, in: 'query', ...(description !== undefined && { description }), schema, ...list }
  })

const headerParameters = (headers: DescribedHeaders): Json[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }))

function requestBody({ accepts, id }: Operation, named: Named): Json {
  const body = accepts?.body ?? 'none'
  const example = id in examples ? { example: examples[id] } : {}
  if (body === 'none') return {}
  if (body === 'markdown')
    return {
      requestBody: {
        required: true,
        content: { 'text/markdown': { schema: { type: 'string' }, ...example } },
      },
    }
  if (body === 'file') return { requestBody: { required: true, content: uploadContent } }
  const schema = bodySchema(body)
  const required = Object.values(body).some((type) => !type.safeParse(undefined).success)
  return {
    requestBody: { required, content: { 'application/json': { schema: named(schema), ...example } } },
  }
}

const uploadContent = {
  'application/octet-stream': { example: exampleFile },
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
      required: ['file'],
    },
  },
}

function successes(
  { method, accepts, answers = new Map(), answersHeaders = {} }: Operation,
  named: Named,
): Json {
  const headers = headerObjects(answersHeaders)
  const responses = Object.fromEntries(
    [...answers].map(([status, alternatives]) => [
      status,
      { description: 'Success', ...headers, content: contentOf(alternatives, named) },
    ]),
  )
  const isFile = accepts?.headers.Range !== undefined
  const isCached = method === 'GET' && accepts?.headers['If-None-Match'] !== undefined
  return {
    ...responses,
    ...(isFile && { 206: { ...responses[200], description: 'The part that Range asks for' } }),
    ...(isCached && { 304: { description: 'You have it', ...headers } }),
  }
}

function contentOf(answers: readonly RouteAnswer[], named: Named): Json {
  const content: Json = {}
  for (const answer of answers) {
    if (typeof answer === 'string')
      content[answer] = answer.startsWith('text/') ? { schema: { type: 'string' } } : {}
    else content['application/json'] = { schema: named(answer) }
  }
  return content
}

function headerObjects(headers: DescribedHeaders): Json {
  const objects = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return objects.length === 0 ? {} : { headers: Object.fromEntries(objects) }
}
