import { z } from 'zod'
import type { Tool } from './tool.ts'
import { asks } from './tools/asks.ts'
import { history, list, orient, read, search, who } from './tools/reading.ts'
import { follow, inbox, say } from './tools/talking.ts'
import { edit, move, remove, restore, write } from './tools/writing.ts'

export const tools: readonly Tool[] = [
  orient,
  list,
  read,
  search,
  write,
  edit,
  move,
  remove,
  restore,
  history,
  say,
  inbox,
  asks,
  follow,
  who,
]

interface ToolDescription {
  name: string
  title: string
  description: string
  inputSchema: ObjectSchema
  outputSchema: ObjectSchema
  annotations: Record<string, boolean>
}

type ObjectSchema = { type: 'object'; [keyword: string]: unknown }

/** Clients read this at every connection, so it leaves out what says nothing to a model. */
export const toolDescriptions: readonly ToolDescription[] = tools.map((tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: schemaOf(tool.input),
  outputSchema: schemaOf(tool.output),
  annotations: annotationsOf(tool),
}))

function annotationsOf({ isReadOnly = false, isDestructive = false, isIdempotent = false }: Tool) {
  return {
    readOnlyHint: isReadOnly,
    ...(!isReadOnly && { destructiveHint: isDestructive, idempotentHint: isIdempotent }),
    openWorldHint: false,
  }
}

function schemaOf(type: z.ZodObject): ObjectSchema {
  const { $schema, ...schema } = z.toJSONSchema(type, { io: 'input', override: removeBounds })
  return schema as ObjectSchema
}

/** zod bounds integers by JavaScript's. */
function removeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
