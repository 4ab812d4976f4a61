import type { ServerMessage } from '../../core/live/protocol.ts'

const encoded = new WeakMap<ServerMessage, Buffer>()

/** Encodes a message once for all its receivers. */
export function encodedMessage(message: ServerMessage): Buffer {
  const cached = encoded.get(message)
  if (cached) return cached
  const bytes = Buffer.from(JSON.stringify(message))
  encoded.set(message, bytes)
  return bytes
}
