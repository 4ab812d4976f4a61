import { z } from 'zod'
import { WorkspaceError } from '../core/errors/workspace-error.ts'

interface InputDescription {
  mustBe?: string
  aliases?: readonly string[]
}

/** @param subject begins the sentence @returns null where "must be …" is enough */
type Sentence<Value> = (value: Value, subject: string) => string | null

const descriptions = z.registry<InputDescription>()

const refusals = new WeakMap<z.ZodType, { kind: z.ZodType; sentence: Sentence<unknown> }>()

/** Sets the end of "must be …" in refusals. */
export function mustBe<T extends z.ZodType>(type: T, mustBe: string): T {
  descriptions.add(type, { ...descriptions.get(type), mustBe })
  return type
}

export function withAliases<T extends z.ZodType>(type: T, ...aliases: string[]): T {
  descriptions.add(type, { ...descriptions.get(type), aliases })
  return type
}

/** Refuses a value of the right `kind` in a sentence of its own. Others "must be" that kind. */
export function refusedAs<T extends z.ZodType, Value>(
  type: T,
  kind: z.ZodType<Value>,
  sentence: Sentence<Value>,
): T {
  refusals.set(type, { kind, sentence: sentence as Sentence<unknown> })
  return type
}

export const oneOf = <const Choices extends readonly string[]>(
  choices: Choices,
  sentence: Sentence<string>,
): z.ZodType<Choices[number], unknown> => refusedAs(z.enum(choices), z.string(), sentence)

/** What a rule of core says where it refuses; null where it does not. */
export function refusalBy(rule: () => unknown): string | null {
  try {
    rule()
    return null
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message
    throw error
  }
}

export function refusalOf(type: z.ZodType, value: unknown, subject: string): string | null {
  const refusal = refusals.get(type)
  if (refusal) return refusal.kind.safeParse(value).success ? refusal.sentence(value, subject) : null
  const isWrapped =
    type instanceof z.ZodOptional || type instanceof z.ZodDefault || type instanceof z.ZodNullable
  return isWrapped ? refusalOf(type.unwrap() as z.ZodType, value, subject) : null
}

export const aliasesOf = (type: z.ZodType): readonly string[] => descriptions.get(type)?.aliases ?? []

export const flag = z
  .string()
  .optional()
  .transform((value) => value === '1')
  .meta({ enum: ['1'] })

/** A positive whole number in a query. Larger ones than `max` count as `max`. */
export const count = (max: number) =>
  mustBe(
    z
      .string()
      .regex(/^0*[1-9]\d*$/)
      .transform(Number)
      .meta({ type: 'integer', minimum: 1, maximum: max, description: 'How many at most' }),
    `a whole number from 1 to ${max}`,
  )

export function describeExpected(type: z.ZodType): string {
  const described = descriptions.get(type)?.mustBe
  if (described !== undefined) return described
  const refusal = refusals.get(type)
  if (refusal) return describeExpected(refusal.kind)
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault)
    return describeExpected(type.unwrap() as z.ZodType)
  if (type instanceof z.ZodNullable) return `${describeExpected(type.unwrap() as z.ZodType)} or null`
  if (type instanceof z.ZodEnum) return `one of ${type.options.join(', ')}`
  if (type instanceof z.ZodArray) return 'a list of texts'
  if (type instanceof z.ZodNumber) return 'a whole number'
  if (type instanceof z.ZodBoolean) return 'true or false'
  return type instanceof z.ZodString ? 'a text' : 'an object'
}
