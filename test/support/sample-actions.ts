import type { Actor } from './chat.ts'
import type { RequestOptions } from './http-client.ts'
import type { Workroom } from './workroom.ts'

export interface SampleActions {
  /** Sends a request with a JSON body, or what the options say. @throws Error if it is refused */
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response
  send(actor: Actor, method: string, path: string, body?: unknown, options?: RequestOptions): Promise<any>
  sendMessage(actor: Actor, room: string, body: string, threadId?: string): Promise<string>
  writeDocument(actor: Actor, path: string, text: string): Promise<{ id: string; path: string; url: string }>
  advanceMinutes(minutes: number): void
}

const minuteMs = 60_000

export function sampleActions({ request, clock }: Workroom): SampleActions {
  const send: SampleActions['send'] = async ({ key }, method, path, body, options = {}) => {
    const response = await request(method, path, { key, ...(body !== undefined && { body }), ...options })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.json
  }
  const advanceMinutes = (minutes: number) => clock.advance(minutes * minuteMs)
  return {
    send,
    advanceMinutes,
    async sendMessage(actor, room, body, threadId) {
      advanceMinutes(2)
      const sent = await send(actor, 'POST', `/api/rooms/${room}/messages`, {
        body,
        ...(threadId && { threadId }),
      })
      return sent.messageId
    },
    async writeDocument(actor, path, text) {
      advanceMinutes(7)
      return send(actor, 'PUT', `/v1/fs/projects/harbour/${encodeURI(path)}`, text)
    },
  }
}
