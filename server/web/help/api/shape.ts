import { type Html, html } from '../../html.ts'
import type { Schema } from './description.ts'
import { modelsPath } from './paths.ts'

/** In characters. Longer shapes have a line for each field. */
const maxLineLength = 72

/** Writes a schema as a type, with links to models. */
export function shapeOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, depth = 0): Html {
  const of = (one: Schema, deeper = 0) => shapeOf(one, schemas, depth + deeper)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!
    return isModel(name) ? html`<a href="${modelsPath}#${name}">${name}</a>` : of(schemas[name]!)
  }
  if (schema.enum) return joined(schema.enum.map((value) => html`${JSON.stringify(value)}`))
  if ('const' in schema) return html`${JSON.stringify(schema.const)}`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return joined(choices.map((choice) => of(choice)))
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => of({ ...schema, type })))
  if (schema.type === 'array') return html`${bracketed(of(schema.items ?? {}))}[]`
  if (schema.properties) return fieldsOf(schema, (one) => of(one, 1), depth)
  if (schema.type === 'object') return html`object`
  return html`${schema.type === 'string' ? 'text' : (schema.type ?? 'anything')}`
}

/** Whether it is shared. Other schemas are shown in place. */
export const isModel = (name: string): boolean => !/(?:Body|Answer\d*)$/.test(name)

function fieldsOf({ properties, required = [] }: Schema, of: (schema: Schema) => Html, depth: number): Html {
  const fields = Object.entries(properties!).map(([name, schema]) => ({
    name: required.includes(name) ? name : `${name}?`,
    shape: of(schema),
  }))
  const line = fields.map(({ name, shape }) => html`${name}: ${shape}`)
  const isShort = lengthOf(line) <= maxLineLength && line.every(({ text }) => !text.includes('\n'))
  if (isShort) return html`{ ${line.map((field, index) => html`${index > 0 && ', '}${field}`)} }`
  const indent = '  '.repeat(depth + 1)
  return html`{
${line.map((field) => html`${indent}${field}\n`)}${'  '.repeat(depth)}}`
}

const lengthOf = (parts: readonly Html[]) =>
  parts.reduce((length, { text }) => length + text.replace(/<[^>]*>/g, '').length + 2, 0)

const joined = (shapes: readonly Html[]): Html =>
  html`${shapes.map((shape, index) => html`${index > 0 && ' | '}${shape}`)}`

const bracketed = (shape: Html): Html => (shape.text.includes(' | ') ? html`(${shape})` : shape)
