type Json = Record<string, unknown>

export type Schema = Json
export type Response = { content?: Record<string, { schema?: Schema }> }
export type Responses = Record<string, Response | { $ref: string }>

/** What the description of the interface says of answers. */
export interface DescribedAnswers {
  /** As they have to be tried: a name takes in what follows it, so paths that say more come first. */
  patterns: { source: string; path: string }[]
  paths: Record<string, Record<string, { responses: Responses }>>
  responses: Record<string, Response>
}

/** Whether fields may be missing, as the request asked for some alone. */
export type Extent = 'whole' | 'partial'

/** The name of a schema's validator. */
export const validatorName = (schema: Schema, extent: Extent): string => `${extent} ${JSON.stringify(schema)}`
