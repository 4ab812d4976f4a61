import { z } from 'zod'

interface InputWords {
  /** As the end of "must be …"; without it, what the type itself says. */
  mustBe?: string
  /** Other names that callers try for the field: a refusal says which one is meant. */
  aliases?: readonly string[]
}

const words = z.registry<InputWords>()

/** Says in refusals what a value must be: the end of "must be …". */
export function mustBe<T extends z.ZodType>(type: T, mustBe: string): T {
  words.add(type, { ...words.get(type), mustBe })
  return type
}

/** A field that callers look for under other names, which are refused like any unknown name. */
export function withAliases<T extends z.ZodType>(type: T, ...aliases: string[]): T {
  words.add(type, { ...words.get(type), aliases })
  return type
}

export const aliasesOf = (type: z.ZodType): readonly string[] => words.get(type)?.aliases ?? []

/** The names by which a query says yes: `?all=1`. Any other value says no. */
export const flag = z
  .string()
  .optional()
  .transform((value) => value === '1')
  .meta({ enum: ['1'] })

/**
 * A whole number in a query, from 1 up. Larger ones than `max` are taken for `max`.
 * @param max as refusals name it
 */
export const count = (max: number) =>
  mustBe(
    z
      .string()
      .regex(/^0*[1-9]\d*$/)
      .transform(Number)
      .meta({ type: 'integer', minimum: 1, maximum: max }),
    `a whole number from 1 to ${max}`,
  )

/** What a value must be, as the end of "must be …". */
export function expected(type: z.ZodType): string {
  const own = words.get(type)?.mustBe
  if (own !== undefined) return own
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault)
    return expected(type.unwrap() as z.ZodType)
  if (type instanceof z.ZodNullable) return `${expected(type.unwrap() as z.ZodType)} or null`
  if (type instanceof z.ZodEnum) return `one of ${type.options.join(', ')}`
  if (type instanceof z.ZodArray) return 'a list of texts'
  if (type instanceof z.ZodNumber) return 'a whole number'
  if (type instanceof z.ZodBoolean) return 'true or false'
  return type instanceof z.ZodString ? 'a text' : 'an object'
}
