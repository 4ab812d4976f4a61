import { WorkspaceError } from '../core/errors.ts'
import type { Context } from './context.ts'
import { readJson } from './middleware/body.ts'

/** A parameter of the query; undefined where it is missing. @throws WorkspaceError `bad_request` where it stands twice */
export function queryText(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new WorkspaceError('bad_request', `?${name}= may be given once.`)
}

/** What a field of a JSON body may hold. */
export interface FieldType<T> {
  /** As the end of "must be …". */
  what: string
  isOf(value: unknown): value is T
}

interface OptionalField<T> extends FieldType<T> {
  isOptional: true
}

export const text: FieldType<string> = {
  what: 'a text',
  isOf: (value) => typeof value === 'string',
}

export const integer: FieldType<number> = {
  what: 'a whole number',
  isOf: (value): value is number => Number.isSafeInteger(value),
}

export const boolean: FieldType<boolean> = {
  what: 'true or false',
  isOf: (value) => typeof value === 'boolean',
}

export const texts: FieldType<string[]> = {
  what: 'a list of texts',
  isOf: (value): value is string[] => Array.isArray(value) && value.every(text.isOf),
}

export const oneOf = <T extends string>(values: readonly T[]): FieldType<T> => ({
  what: `one of ${values.join(', ')}`,
  isOf: (value): value is T => (values as readonly unknown[]).includes(value),
})

export const orNull = <T>(type: FieldType<T>): FieldType<T | null> => ({
  what: `${type.what} or null`,
  isOf: (value) => value === null || type.isOf(value),
})

export const optional = <T>(type: FieldType<T>): OptionalField<T> => ({ ...type, isOptional: true })

type Shape = Record<string, FieldType<unknown> | OptionalField<unknown>>
type NamesOfOptional<S extends Shape> = {
  [Name in keyof S]: S[Name] extends OptionalField<unknown> ? Name : never
}[keyof S]
type ValueOf<F> = F extends FieldType<infer T> ? T : never

/** The fields of a body that has a shape; those that the shape does not name are left out. */
export type FieldsOf<S extends Shape> = {
  [Name in Exclude<keyof S, NamesOfOptional<S>>]: ValueOf<S[Name]>
} & { [Name in NamesOfOptional<S>]?: ValueOf<S[Name]> }

/**
 * The fields of a request's JSON body, each of the type that `shape` gives it.
 * @param invalid what a field that is missing or of a wrong type is: the tree calls it `unprocessable`
 * @throws WorkspaceError `invalid`, naming the field; what `readJson` throws
 */
export async function readFields<S extends Shape>(
  ctx: Context,
  shape: S,
  invalid: 'bad_request' | 'unprocessable' = 'bad_request',
): Promise<FieldsOf<S>> {
  return fieldsOf(await readJson(ctx), shape, invalid)
}

/**
 * As `readFields`, for bodies in which a misspelled field must not be passed over: a key whose scopes were not read
 * would open more than it was meant to.
 * @throws WorkspaceError `bad_request`, naming every field that the shape does not
 */
export async function readExactFields<S extends Shape>(ctx: Context, shape: S): Promise<FieldsOf<S>> {
  const body = await readJson(ctx)
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(shape, name))
  if (unknown.length === 0) return fieldsOf(body, shape, 'bad_request')
  throw new WorkspaceError(
    'bad_request',
    `There is no field ${unknown.join(', ')} here. The fields are ${Object.keys(shape).join(', ')}.`,
  )
}

function fieldsOf<S extends Shape>(
  body: Record<string, unknown>,
  shape: S,
  invalid: 'bad_request' | 'unprocessable',
): FieldsOf<S> {
  const fields: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined) {
      if ('isOptional' in type) continue
      throw new WorkspaceError(invalid, `The body must hold the field ${name}, ${type.what}.`)
    }
    if (!type.isOf(value)) throw new WorkspaceError(invalid, `The field ${name} must be ${type.what}.`)
    fields[name] = value
  }
  return fields as FieldsOf<S>
}
