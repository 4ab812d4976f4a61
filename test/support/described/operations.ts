export type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>
  required?: string[]
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  schema: Schema
}

/** An operation as `/openapi.json` describes it. */
export interface DescribedOperation {
  operationId: string
  method: string
  path: string
  tags: string[]
  parameters: Parameter[]
  statuses: number[]
  /** Of the body: its media type, its schema where it is JSON, and an example where there is one. */
  body: { type: string; schema?: Schema; example?: unknown } | null
}

export interface Description {
  operations: DescribedOperation[]
  /** Follows a `$ref` to the components. */
  resolve(schema: Schema): Schema
}

interface Document {
  paths: Record<string, Record<string, Record<string, unknown>>>
  components: { schemas: Record<string, Schema> }
}

/** The operations that a client knows from `/openapi.json` alone. */
export function readDescription(document: Document): Description {
  const resolve = (schema: Schema): Schema =>
    typeof schema.$ref === 'string' ? document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId as string,
      method: method.toUpperCase(),
      path,
      tags: operation.tags as string[],
      parameters: (operation.parameters ?? []) as Parameter[],
      statuses: Object.keys(operation.responses as object).map(Number),
      body: bodyOf(operation.requestBody as { content: Content } | undefined, resolve),
    })),
  )
  return { operations, resolve }
}

type Content = Record<string, { schema?: Schema; example?: unknown }>

function bodyOf(
  body: { content: Content } | undefined,
  resolve: Description['resolve'],
): DescribedOperation['body'] {
  if (!body) return null
  const [type, { schema, example }] = Object.entries(body.content)[0]!
  return { type, ...(schema && { schema: resolve(schema) }), ...(example !== undefined && { example }) }
}
