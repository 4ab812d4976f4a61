import { Readable } from 'node:stream'
import { mapGroupsInSlices } from '../../core/concurrency/map-in-slices.ts'
import type { Middleware } from '../context.ts'

const minLength = 200

const pieceRows = 200

/** A longer answer is sent in pieces, so that copying one does not block. */
const maxBytesAtOnce = 1024 * 1024

const jsonOfRows = new WeakMap<object, string>()

/** Core returns the same frozen array or row while it is unchanged. */
const jsonOfLists = new WeakMap<readonly unknown[], Promise<Buffer[]>>()

/** Serializes long lists in time slices, so that other requests are answered in between. */
export const longLists: Middleware = async (ctx, next) => {
  await next()
  const { body } = ctx
  if (!isPlainObject(body) || !Object.values(body).some(isLong)) return
  const pieces = await piecesOf(body)
  const length = pieces.reduce((total, { byteLength }) => total + byteLength, 0)
  ctx.body = length <= maxBytesAtOnce ? Buffer.concat(pieces, length) : Readable.from(pieces)
  ctx.length = length
}

async function piecesOf(body: Record<string, unknown>): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let text = '{'
  for (const [name, value] of Object.entries(body)) {
    const json = isLong(value) ? '[' : JSON.stringify(value)
    if (json === undefined) continue
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${json}`
    if (!isLong(value)) continue
    pieces.push(Buffer.from(text), ...(await piecesOfList(value)))
    text = ']'
  }
  pieces.push(Buffer.from(`${text}}`))
  return pieces
}

function piecesOfList(list: readonly unknown[]): Promise<Buffer[]> {
  const cached = jsonOfLists.get(list)
  if (cached) return cached
  const pieces = makePieces(list)
  if (Object.isFrozen(list)) jsonOfLists.set(list, pieces)
  return pieces
}

const makePieces = (list: readonly unknown[]): Promise<Buffer[]> =>
  mapGroupsInSlices(list, pieceRows, (rows, index) =>
    Buffer.from(`${index === 0 ? '' : ','}${rows.map(jsonOf).join(',')}`),
  )

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
