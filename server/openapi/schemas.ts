import { z } from 'zod'
import type { Endpoint } from '../endpoints.ts'
import type { Shape } from '../request-fields.ts'
import { bodyModels, models } from '../schemas/model.ts'

export type Json = Record<string, unknown>

/** `id` also names the models of its body and answers. */
export interface Operation extends Endpoint {
  id: string
}

/** Returns a reference to the schema's component. */
export type Named = (schema: z.ZodType) => Json

const componentPath = (id: string) => `#/components/schemas/${id}`

const bodySchemas = new WeakMap<Shape, z.ZodType>()

/** Returns the same schema for the same shape. */
export function bodySchema(shape: Shape): z.ZodType {
  const schema = bodySchemas.get(shape) ?? z.strictObject(shape)
  bodySchemas.set(shape, schema)
  return schema
}

export function schemasOf(operations: readonly Operation[]): { schemas: Json; named: Named } {
  const outputs = new Map(models)
  const inputs = new Map<z.ZodType, string>()
  for (const { id, accepts, answers } of operations) {
    const name = id[0]!.toUpperCase() + id.slice(1)
    if (typeof accepts?.body === 'object')
      addNew(inputs, bodySchema(accepts.body), bodyModels.get(accepts.body) ?? `${name}Body`)
    for (const [status, schemas] of answers ?? []) {
      for (const schema of schemas) {
        if (typeof schema !== 'string')
          addNew(outputs, schema, `${name}Answer${status === 200 ? '' : status}`)
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

export const inputSchema = (type: z.ZodType): Json => {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: 'input', override: withoutPattern })
  // zod omits the default if the input is a string that is parsed.
  return type instanceof z.ZodDefault ? { ...schema, default: type.def.defaultValue } : schema
}

/** Numbers of a query are checked as text but described as numbers. */
const withoutPattern = ({ jsonSchema }: { jsonSchema: Json }): void => {
  if (jsonSchema.type === 'integer') delete jsonSchema.pattern
}
