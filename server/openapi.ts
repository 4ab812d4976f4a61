import { z } from 'zod'
import { newRoutes, type RouteAnswer, type Routes } from './context.ts'
import type { Endpoint } from './endpoints.ts'
import type { Shape } from './request-fields.ts'
import { error, models, treeError } from './schemas/model.ts'

/** `GET /openapi.json` needs no key: it holds nothing of the workspace. */
export function openApiRoutes(endpoints: () => readonly Endpoint[]): Routes {
  let document: string | undefined
  return newRoutes()
    .purpose('Read the description of the interface (OpenAPI); needs no key')
    .get('/openapi.json', (ctx) => {
      document ??= JSON.stringify(openApiDocument(endpoints()))
      ctx.set('Cache-Control', 'no-cache')
      ctx.type = 'application/json; charset=utf-8'
      ctx.body = document
    })
}

type Json = Record<string, unknown>

/** Of an operation; its body and its answers are models of their own, named after it. */
interface Operation extends Endpoint {
  id: string
}

const componentPath = (id: string) => `#/components/schemas/${id}`

/**
 * The description of the interface (OpenAPI 3.1): every endpoint under `/api` and `/v1`, as its route declares it.
 * @param endpoints those of the app; others than the interface's are left out
 */
export function openApiDocument(endpoints: readonly Endpoint[]): Json {
  const operations = endpoints
    .filter(({ path }) => /^\/(?:api|v1)(?:\/|$)/.test(path))
    .map((endpoint): Operation => ({ ...endpoint, id: operationId(endpoint) }))
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
    paths,
    components: { schemas, securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  }
}

const description =
  'Rooms, projects, asks, events and the file tree of one workspace. Times are Unix milliseconds. Unknown parameters and fields are refused by name.'

function operationObject(operation: Operation, named: (schema: z.ZodType) => Json): Json {
  const { id, path, purpose, accepts } = operation
  const parameters = [...pathParameters(path), ...queryParameters(accepts?.query ?? {})]
  return {
    operationId: id,
    ...(purpose !== undefined && { summary: purpose }),
    ...(path === '/v1/onboard' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(operation, named),
    responses: {
      ...Object.fromEntries(
        [...(operation.answers ?? [])].map(([status, answers]) => [status, response(answers, named)]),
      ),
      default: refusal(path, named),
    },
  }
}

const templatePath = (path: string) => path.replace(/[:*](\w+)/g, '{$1}')

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/([:*])(\w+)/g)].map(([, kind, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(kind === '*' && { description: 'A path, whose slashes are not encoded.' }),
  }))
}

const queryParameters = (query: Shape): Json[] =>
  Object.entries(query).map(([name, type]) => ({
    name,
    in: 'query',
    schema: inputSchema(type),
  }))

function requestBody({ accepts }: Operation, named: (schema: z.ZodType) => Json): Json {
  const body = accepts?.body ?? 'none'
  if (body === 'none') return {}
  if (body === 'markdown') return { requestBody: { required: true, content: { 'text/markdown': {} } } }
  if (body === 'file') return { requestBody: { required: true, content: uploadContent } }
  const schema = bodySchema(body)
  const required = Object.values(body).some((type) => !type.safeParse(undefined).success)
  return { requestBody: { required, content: { 'application/json': { schema: named(schema) } } } }
}

const uploadContent = {
  'application/octet-stream': {},
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
      required: ['file'],
    },
  },
}

function response(answers: readonly RouteAnswer[], named: (schema: z.ZodType) => Json): Json {
  const content: Json = {}
  for (const answer of answers) {
    if (typeof answer === 'string') content[answer] = {}
    else content['application/json'] = { schema: named(answer) }
  }
  return { description: 'Success', content }
}

const refusal = (path: string, named: (schema: z.ZodType) => Json): Json => ({
  description: 'A refusal, which says what was wrong and what to do instead',
  content: { 'application/json': { schema: named(path.startsWith('/v1/fs') ? treeError : error) } },
})

const bodySchemas = new WeakMap<Shape, z.ZodType>()

/** The same schema for the same shape. */
function bodySchema(shape: Shape): z.ZodType {
  const schema = bodySchemas.get(shape) ?? z.strictObject(shape)
  bodySchemas.set(shape, schema)
  return schema
}

/** Every model, body and answer as a component; `named` refers to one. */
function schemasOf(operations: readonly Operation[]) {
  const outputs = new Map(models)
  const inputs = new Map<z.ZodType, string>()
  for (const { id, accepts, answers } of operations) {
    if (typeof accepts?.body === 'object') addNew(inputs, bodySchema(accepts.body), `${id}Body`)
    for (const [status, schemas] of answers ?? []) {
      for (const schema of schemas) {
        if (typeof schema !== 'string') addNew(outputs, schema, `${id}${status}`)
      }
    }
  }
  const named = (schema: z.ZodType): Json => ({
    $ref: componentPath((outputs.get(schema) ?? inputs.get(schema))!),
  })
  return { schemas: { ...components(inputs, 'input'), ...components(outputs, 'output') }, named }
}

function addNew(schemas: Map<z.ZodType, string>, schema: z.ZodType, id: string): void {
  if (!schemas.has(schema)) schemas.set(schema, id)
}

function components(schemas: ReadonlyMap<z.ZodType, string>, io: 'input' | 'output'): Json {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of schemas) registry.add(schema, { id })
  const described = z.toJSONSchema(registry, { io, uri: componentPath, override: withoutPattern })
  return Object.fromEntries(
    Object.entries(described.schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  )
}

const inputSchema = (type: z.ZodType): Json => {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: 'input', override: withoutPattern })
  return schema
}

/** A number in a query is checked as text, and described as a number. */
const withoutPattern = ({ jsonSchema }: { jsonSchema: Json }): void => {
  if (jsonSchema.type === 'integer') delete jsonSchema.pattern
}

/** Such as `getApiRoomsByRoomIdMessages`: it stays as long as the path does. */
const operationId = ({ method, path }: Endpoint): string =>
  method.toLowerCase() +
  path
    .split(/[/._-]+/)
    .filter((part) => part !== '')
    .map((part) => part.replace(/^[:*](.)/, (_, first: string) => `By${first.toUpperCase()}`))
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('')
