import { Readable } from 'node:stream'
import { groupsInSlices } from '../../core/concurrency/map-in-slices.ts'
import { LazyRows } from '../../core/documents/model/lazy-rows.ts'
import type { Context, Middleware } from '../context.ts'

const minLength = 200

const pieceRows = 200

/** A longer answer is sent in pieces, so that copying one does not block. */
const maxBytesAtOnce = 1024 * 1024

const jsonOfRows = new WeakMap<object, string>()

/** Core returns the same frozen array or row while it is unchanged. */
const jsonOfLists = new WeakMap<readonly unknown[], Promise<Buffer[]>>()

/**
 * Serializes long lists in time slices, so that other requests are answered in between. Rows that are made when they are read
 * are serialized while they are sent, as fast as the client takes them; the length of such an answer is not known before.
 */
export const longLists: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (!isPlainObject(body)) return
  const values = Object.values(body)
  if (values.some((value) => value instanceof LazyRows)) ctx.body = Readable.from(piecesOf(body))
  else if (values.some(isLong)) await serialize(ctx, body)
}

async function serialize(ctx: Context, body: Record<string, unknown>): Promise<void> {
  const pieces = await collect(piecesOf(body))
  const length = pieces.reduce((total, { byteLength }) => total + byteLength, 0)
  ctx.body = length <= maxBytesAtOnce ? Buffer.concat(pieces, length) : Readable.from(pieces)
  ctx.length = length
}

async function* piecesOf(body: Record<string, unknown>): AsyncGenerator<Buffer> {
  let text = '{'
  for (const [name, value] of Object.entries(body)) {
    const list = value instanceof LazyRows || isLong(value) ? value : null
    const json = list ? '[' : JSON.stringify(value)
    if (json === undefined) continue
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${json}`
    if (!list) continue
    yield Buffer.from(text)
    yield* list instanceof LazyRows ? makePieces(list) : await piecesOfArray(list)
    text = ']'
  }
  yield Buffer.from(`${text}}`)
}

function piecesOfArray(list: readonly unknown[]): Promise<Buffer[]> {
  const cached = jsonOfLists.get(list)
  if (cached) return cached
  const pieces = collect(makePieces(list))
  if (Object.isFrozen(list)) jsonOfLists.set(list, pieces)
  return pieces
}

async function* makePieces(list: Iterable<unknown>): AsyncGenerator<Buffer> {
  let separator = ''
  for await (const rows of groupsInSlices(list, pieceRows)) {
    yield Buffer.from(`${separator}${rows.map(jsonOf).join(',')}`)
    separator = ','
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

function jsonOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item) ?? 'null'
  const cached = jsonOfRows.get(item)
  if (cached !== undefined) return cached
  const json = JSON.stringify(item)
  if (Object.isFrozen(item)) jsonOfRows.set(item, json)
  return json
}

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > minLength

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
