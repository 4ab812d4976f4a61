import fc from '../seeded-properties.ts'
import type { Description, Schema } from './operations.ts'

const words = fc.constantFrom(
  'a',
  'general',
  'Ärger 水',
  'x'.repeat(81),
  '@[Nobody](mem_x)',
  '../up',
  '# Title',
  '',
)

const text: fc.Arbitrary<unknown> = fc.oneof(words, fc.string({ unit: 'grapheme', maxLength: 40 }))

export function valuesOf(schema: Schema, description: Description): fc.Arbitrary<unknown> {
  const of = (one: unknown) => valuesOf(description.resolve(one as Schema), description)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  if ('const' in schema) return fc.constant(schema.const)
  const choices = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined
  if (choices) return fc.oneof(...choices.map(of))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => of({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return text
    case 'integer':
      return fc.integer(boundsOf(schema))
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(of(schema.items), { minLength: (schema.minItems as number) ?? 0, maxLength: 4 })
    case 'object':
      return schema.properties
        ? fieldsOf(schema, description)
        : fc.dictionary(fc.string({ minLength: 1 }), text.map(String))
    default:
      return fc.jsonValue()
  }
}

const boundsOf = ({ minimum = -1000, maximum = 2 ** 40 }: Schema) => ({
  min: minimum as number,
  max: maximum as number,
})

function fieldsOf({ properties, required }: Schema, description: Description): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties!).map(([name, schema]) => [
      name,
      valuesOf(description.resolve(schema), description),
    ]),
  )
  return fc.record(fields, { requiredKeys: required ?? [] })
}

/** A value that a schema does not allow; null if it allows any JSON. */
export function wrongValueFor(schema: Schema): unknown {
  if (schema.type === undefined && !schema.anyOf && !schema.enum) return null
  return schema.type === 'object' ? 7 : { unheard: 'of' }
}
