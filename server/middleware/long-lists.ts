import { mapInSlices } from '../../core/concurrency/map-in-slices.ts'
import type { Middleware } from '../context.ts'

/** A shorter list is written as JSON by Koa, in one go. */
const minLength = 200

/** Writes answers that hold a long list as JSON in slices: other requests are answered in between. */
export const longLists: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (isPlainObject(body) && Object.values(body).some(isLong)) ctx.body = await stringify(body)
}

async function stringify(body: Record<string, unknown>): Promise<string> {
  const fields: string[] = []
  for (const [name, value] of Object.entries(body)) {
    const json = isLong(value)
      ? `[${(await mapInSlices(value, (item) => JSON.stringify(item) ?? 'null')).join(',')}]`
      : JSON.stringify(value)
    if (json !== undefined) fields.push(`${JSON.stringify(name)}:${json}`)
  }
  return `{${fields.join(',')}}`
}

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > minLength

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
