import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { invalidInput, listUnknown } from './accepted-input.ts'
import { suggestName } from './closest-name.ts'
import type { Context } from './context.ts'
import { readJson } from './middleware/body.ts'

/** A parameter of the query; undefined if absent. @throws WorkspaceError `bad_request` if it is repeated */
export function queryText(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new WorkspaceError('bad_request', `?${name}= may be given only once.`)
}

export interface FieldType<T> {
  /** As the end of "must be …". */
  description: string
  isOf(value: unknown): value is T
  /** Other names that callers try for the field: a refusal says which one is meant. */
  guesses?: readonly string[]
}

interface OptionalField<T> extends FieldType<T> {
  isOptional: true
}

export const text: FieldType<string> = {
  description: 'a text',
  isOf: (value) => typeof value === 'string',
}

export const integer: FieldType<number> = {
  description: 'a whole number',
  isOf: (value): value is number => Number.isSafeInteger(value),
}

export const boolean: FieldType<boolean> = {
  description: 'true or false',
  isOf: (value) => typeof value === 'boolean',
}

export const texts: FieldType<string[]> = {
  description: 'a list of texts',
  isOf: (value): value is string[] => Array.isArray(value) && value.every(text.isOf),
}

export const objectField: FieldType<object> = {
  description: 'an object',
  isOf: (value): value is object => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const oneOf = <T extends string>(values: readonly T[]): FieldType<T> => ({
  description: `one of ${values.join(', ')}`,
  isOf: (value): value is T => (values as readonly unknown[]).includes(value),
})

export const nullable = <T>(type: FieldType<T>): FieldType<T | null> => ({
  description: `${type.description} or null`,
  isOf: (value) => value === null || type.isOf(value),
})

export const optional = <T>(type: FieldType<T>): OptionalField<T> => ({ ...type, isOptional: true })

/** A field that callers look for under other names. @param guesses which are refused, like any unknown name */
export const withAliases = <F extends FieldType<unknown>>(type: F, ...guesses: string[]): F => ({
  ...type,
  guesses,
})

type Shape = Record<string, FieldType<unknown> | OptionalField<unknown>>
type NamesOfOptional<S extends Shape> = {
  [Name in keyof S]: S[Name] extends OptionalField<unknown> ? Name : never
}[keyof S]
type ValueOf<F> = F extends FieldType<infer T> ? T : never

/** The fields of a body that has a shape; those that the shape does not name are left out. */
type FieldsOf<S extends Shape> = {
  [Name in Exclude<keyof S, NamesOfOptional<S>>]: ValueOf<S[Name]>
} & { [Name in NamesOfOptional<S>]?: ValueOf<S[Name]> }

/**
 * The fields of a request's JSON body, each of the type that `shape` gives it.
 * @throws WorkspaceError `invalid`, naming every field that is unknown, missing or of a
 *   wrong type; what `readJson` throws
 */
export async function readFields<S extends Shape>(
  ctx: Context,
  shape: S,
  limitBytes?: number,
): Promise<FieldsOf<S>> {
  return fieldsOf(await readJson(ctx, limitBytes), shape, 'The body')
}

/**
 * As `readFields`, of an object.
 * @param whole what it is, as the beginning of a sentence
 */
export function fieldsOf<S extends Shape>(body: object, shape: S, whole: string): FieldsOf<S> {
  const given = body as Record<string, unknown>
  const names = Object.keys(shape)
  const problems: string[] = []
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(shape, name))
  if (unknown.length > 0) {
    problems.push(
      `There is no field ${listUnknown(unknown, names, String, (name) => suggestField(name, shape))} here.`,
    )
  }
  const fields: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) {
      if (!('isOptional' in type)) problems.push(`${whole} must hold the field ${name}, ${type.description}.`)
    } else if (type.isOf(value)) {
      fields[name] = value
    } else {
      problems.push(`The field ${name} must be ${type.description}.`)
    }
  }
  if (unknown.length > 0) problems.push(`The fields are ${names.join(', ')}.`)
  if (problems.length > 0) throw invalidInput(problems.join(' '))
  return fields as FieldsOf<S>
}

function suggestField(name: string, shape: Shape): string | null {
  const guessed = Object.entries(shape).find(([, type]) => type.guesses?.includes(name))
  return guessed?.[0] ?? suggestName(name, Object.keys(shape))
}
