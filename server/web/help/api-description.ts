/** The parts of JSON Schema that `/openapi.json` uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  description?: string
}

interface Content {
  schema?: Schema
  example?: unknown
}

export interface ShownOperation {
  id: string
  method: string
  path: string
  summary: string
  tag: string
  parameters: { name: string; in: string; required?: boolean; schema: Schema; description?: string }[]
  body: Record<string, Content>
  /** Statuses from 400 name shared refusals. */
  responses: { status: string; content: Record<string, Content>; description: string }[]
}

export interface Description {
  subjects: { slug: string; name: string; description: string; operations: ShownOperation[] }[]
  schemas: Record<string, Schema>
}

interface OperationObject {
  operationId: string
  summary: string
  tags: [string]
  parameters?: ShownOperation['parameters']
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, ResponseObject | { $ref: string }>
}

interface ResponseObject {
  description: string
  content?: Record<string, Content>
}

interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, Schema>; responses: Record<string, ResponseObject> }
}

/** Reads `/openapi.json` and groups its operations by subject. */
export function describe(document: object): Description {
  const { tags, paths, components } = document as Document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ShownOperation => {
      const { operationId: id, summary, tags, parameters = [], requestBody } = operation
      const responses = Object.entries(operation.responses).map(([status, response]) => {
        const { content = {}, description } =
          '$ref' in response ? components.responses[response.$ref.split('/').at(-1)!]! : response
        return { status, content, description }
      })
      const body = requestBody?.content ?? {}
      return { id, method: method.toUpperCase(), path, summary, tag: tags[0], parameters, body, responses }
    }),
  )
  const subjects = tags.map((tag) => ({
    ...tag,
    slug: tag.name.toLowerCase().replace(/\W+/g, '-'),
    operations: operations.filter((operation) => operation.tag === tag.name),
  }))
  return { subjects: subjects.filter(({ operations }) => operations.length > 0), schemas: components.schemas }
}
