import type { z } from 'zod'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'
import type { Context } from './context.ts'
import { invalidInput, listUnknown } from './input-refusals.ts'
import { aliasesOf, describeExpected, refusalOf } from './input-types.ts'
import { readJson } from './middleware/body.ts'

export type Shape = Readonly<Record<string, z.ZodType>>

type OptionalNames<S extends Shape> = {
  [Name in keyof S]: undefined extends z.output<S[Name]> ? Name : never
}[keyof S]

/** Omitted optional values are absent, not undefined. */
export type FieldsOf<S extends Shape> = {
  [Name in Exclude<keyof S, OptionalNames<S>>]: z.output<S[Name]>
} & { [Name in OptionalNames<S>]?: Exclude<z.output<S[Name]>, undefined> }

/** @throws WorkspaceError `bad_request` if the parameter is repeated */
export function queryText(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name]
  if (!Array.isArray(value)) return value
  throw new WorkspaceError('bad_request', `?${name}= may be given only once.`)
}

/** @throws WorkspaceError `bad_request` */
export function readQuery<S extends Shape>(ctx: Context, shape: S): FieldsOf<S> {
  const values: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const text = queryText(ctx, name)
    const result = type.safeParse(text)
    if (!result.success) {
      const refusal = refusalOf(type, text, 'The query') ?? `?${name}= must be ${describeExpected(type)}.`
      throw new WorkspaceError('bad_request', refusal)
    }
    if (result.data !== undefined) values[name] = result.data
  }
  return values as FieldsOf<S>
}

/** @throws WorkspaceError `invalid`, naming every wrong field; whatever `readJson` throws */
export async function readFields<S extends Shape>(
  ctx: Context,
  shape: S,
  limitBytes?: number,
): Promise<FieldsOf<S>> {
  return fieldsOf(await readJson(ctx, limitBytes), shape, 'The body')
}

function fieldsOf<S extends Shape>(body: object, shape: S, subject: string): FieldsOf<S> {
  const { fields, problems } = checkFields(body, shape, subject)
  if (problems.length > 0) throw invalidInput(problems.join(' '))
  return fields
}

/** Says in sentences what is wrong with the fields; null if nothing is. @param subject begins a sentence */
export function problemOfFields(body: object, shape: Shape, subject: string): string | null {
  const { problems } = checkFields(body, shape, subject)
  return problems.length === 0 ? null : problems.join(' ')
}

function checkFields<S extends Shape>(
  body: object,
  shape: S,
  subject: string,
): { fields: FieldsOf<S>; problems: string[] } {
  const input = body as Record<string, unknown>
  const names = Object.keys(shape)
  const problems: string[] = []
  const unknown = Object.keys(input).filter((name) => !Object.hasOwn(shape, name))
  if (unknown.length > 0) {
    problems.push(
      `There is no field ${listUnknown(unknown, names, String, (name) => suggestField(name, shape))} here.`,
    )
  }
  const fields: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(shape)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    const result = type.safeParse(value)
    if (!result.success) {
      problems.push(
        value === undefined
          ? `${subject} must contain the field ${name}, ${describeExpected(type)}.`
          : (refusalOf(type, value, subject) ?? `The field ${name} must be ${describeExpected(type)}.`),
      )
    } else if (result.data !== undefined) {
      fields[name] = result.data
    }
  }
  if (unknown.length > 0) problems.push(`The fields are ${names.join(', ')}.`)
  return { fields: fields as FieldsOf<S>, problems }
}

function suggestField(name: string, shape: Shape): string | null {
  const aliased = Object.entries(shape).find(([, type]) => aliasesOf(type).includes(name))
  return aliased?.[0] ?? suggestName(name, Object.keys(shape))
}
