type Json = Record<string, unknown>

export type Schema = Json
export type Response = { content?: Record<string, { schema?: Schema }> }
export type Responses = Record<string, Response | { $ref: string }>

export interface DescribedResponses {
  /** In the order to try them: longer and more specific paths come first. */
  patterns: { source: string; path: string }[]
  paths: Record<string, Record<string, { responses: Responses }>>
  responses: Record<string, Response>
}

/** `partial` if fields may be missing, because the request asked for some of them. */
export type Extent = 'whole' | 'partial'

export const validatorName = (schema: Schema, extent: Extent): string => `${extent} ${JSON.stringify(schema)}`
