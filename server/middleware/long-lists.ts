import { mapInSlices } from '../../core/concurrency/map-in-slices.ts'
import type { Middleware } from '../context.ts'

/** A shorter list is written as JSON by Koa, in one go. */
const minLength = 200

/** The JSON of rows and lists that were listed before: core hands out the same object while it is unchanged. */
const jsonOfRows = new WeakMap<object, string>()
const jsonOfLists = new WeakMap<unknown[], Buffer>()

/** Writes answers that hold a long list as JSON in slices: other requests are answered in between. */
export const longLists: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (isPlainObject(body) && Object.values(body).some(isLong)) ctx.body = await stringify(body)
}

async function stringify(body: Record<string, unknown>): Promise<Buffer> {
  const parts: Buffer[] = []
  let before = '{'
  for (const [name, value] of Object.entries(body)) {
    const json = isLong(value) ? await listJson(value) : JSON.stringify(value)
    if (json === undefined) continue
    parts.push(
      Buffer.from(`${before}${JSON.stringify(name)}:`),
      typeof json === 'string' ? Buffer.from(json) : json,
    )
    before = ','
  }
  return Buffer.concat([...parts, Buffer.from('}')])
}

async function listJson(list: unknown[]): Promise<Buffer> {
  const known = jsonOfLists.get(list)
  if (known) return known
  const json = Buffer.from(`[${(await mapInSlices(list, jsonOf)).join(',')}]`)
  jsonOfLists.set(list, json)
  return json
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
