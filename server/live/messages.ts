import { z } from 'zod'
import type { ClientMessage, ServerMessage } from '../../core/live/protocol.ts'

const version = z.int().min(0)
const maxRanges = 100

const message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('open'),
    csrf: z.string().max(200),
    clientId: z.string().regex(/^[\w-]{8,64}$/),
    epoch: z.string().max(64).exactOptional(),
    version: version.exactOptional(),
  }),
  z.object({
    type: z.literal('push'),
    version,
    updates: z
      .array(z.object({ seq: z.int().min(1), changes: z.unknown() }))
      .min(1)
      .max(10_000),
  }),
  z.object({
    type: z.literal('selection'),
    version,
    ranges: z.array(z.tuple([z.int().min(0), z.int().min(0)])).max(maxRanges),
  }),
  z.object({ type: z.literal('save') }),
])

/** Null for anything that is not a client's message. */
export function parseMessage(data: string): ClientMessage | null {
  try {
    return message.parse(JSON.parse(data)) as ClientMessage
  } catch {
    return null
  }
}

const encoded = new WeakMap<ServerMessage, Buffer>()

/** Encodes a message once for all its receivers. */
export function encodedMessage(message: ServerMessage): Buffer {
  const cached = encoded.get(message)
  if (cached) return cached
  const bytes = Buffer.from(JSON.stringify(message))
  encoded.set(message, bytes)
  return bytes
}
