import type { z } from 'zod'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'
import type { Context } from './context.ts'
import { invalidInput, listUnknown } from './input-refusals.ts'
import { aliasesOf, expected, refusalOf } from './input-types.ts'
import { readJson } from './middleware/body.ts'

/** The values of an input by name, each with its type. */
export type Shape = Readonly<Record<string, z.ZodType>>

type OptionalNames<S extends Shape> = {
  [Name in keyof S]: undefined extends z.output<S[Name]> ? Name : never
}[keyof S]

/** What a request holds that has a shape; an optional value that it leaves out is absent. */
export type FieldsOf<S extends Shape> = {
  [Name in Exclude<keyof S, OptionalNames<S>>]: z.output<S[Name]>
} & { [Name in OptionalNames<S>]?: Exclude<z.output<S[Name]>, undefined> }

/** A parameter of the query; undefined if absent. @throws WorkspaceError `bad_request` if it is repeated */
export function queryText(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new WorkspaceError('bad_request', `?${name}= may be given only once.`)
}

/** @throws WorkspaceError `bad_request` for a parameter that is repeated or has a wrong value */
export function readQuery<S extends Shape>(ctx: Context, shape: S): FieldsOf<S> {
  const values: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const text = queryText(ctx, name)
    const result = type.safeParse(text)
    if (!result.success) {
      const refusal = refusalOf(type, text, 'The query') ?? `?${name}= must be ${expected(type)}.`
      throw new WorkspaceError('bad_request', refusal)
    }
    if (result.data !== undefined) values[name] = result.data
  }
  return values as FieldsOf<S>
}

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

function fieldsOf<S extends Shape>(body: object, shape: S, whole: string): FieldsOf<S> {
  const { fields, problems } = compared(body, shape, whole)
  if (problems.length > 0) throw invalidInput(problems.join(' '))
  return fields
}

/**
 * What is wrong with the fields of an object, in whole sentences; null if nothing is.
 * @param whole what it is, as the beginning of a sentence
 */
export function problemOfFields(body: object, shape: Shape, whole: string): string | null {
  const { problems } = compared(body, shape, whole)
  return problems.length === 0 ? null : problems.join(' ')
}

function compared<S extends Shape>(
  body: object,
  shape: S,
  whole: string,
): { fields: FieldsOf<S>; problems: string[] } {
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
    const result = type.safeParse(value)
    if (!result.success) {
      problems.push(
        value === undefined
          ? `${whole} must contain the field ${name}, ${expected(type)}.`
          : (refusalOf(type, value, whole) ?? `The field ${name} must be ${expected(type)}.`),
      )
    } else if (result.data !== undefined) {
      fields[name] = result.data
    }
  }
  if (unknown.length > 0) problems.push(`The fields are ${names.join(', ')}.`)
  return { fields: fields as FieldsOf<S>, problems }
}

function suggestField(name: string, shape: Shape): string | null {
  const guessed = Object.entries(shape).find(([, type]) => aliasesOf(type).includes(name))
  return guessed?.[0] ?? suggestName(name, Object.keys(shape))
}
