import { mapInSlices } from '../../core/concurrency/map-in-slices.ts'
import type { Middleware } from '../context.ts'

/** A shorter list is written as JSON by Koa, in one go. */
const minLength = 200

/** The JSON of rows that were listed before: core hands out the same object while a row is unchanged. */
const jsonOfRows = new WeakMap<object, string>()

/** Writes answers that hold a long list as JSON in slices: other requests are answered in between. */
export const longLists: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (isPlainObject(body) && Object.values(body).some(isLong)) ctx.body = await stringify(body)
}

async function stringify(body: Record<string, unknown>): Promise<string> {
  const fields: string[] = []
  for (const [name, value] of Object.entries(body)) {
    const json = isLong(value) ? `[${(await mapInSlices(value, jsonOf)).join(',')}]` : JSON.stringify(value)
    if (json !== undefined) fields.push(`${JSON.stringify(name)}:${json}`)
  }
  return `{${fields.join(',')}}`
}

function jsonOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null'
  const known = jsonOfRows.get(item)
  if (known !== undefined) return known
  const json = JSON.stringify(item)
  jsonOfRows.set(item, json)
  return json
}

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > minLength

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
