import type { IncomingMessage } from 'node:http'

const made = new WeakSet<IncomingMessage>()

/** Notes that a tool makes this request, within a request of its caller that was counted and checked. */
export const markToolRequest = (request: IncomingMessage): void => {
  made.add(request)
}

/** Whether a tool has made it: no client can pretend so. */
export const isToolRequest = (request: IncomingMessage): boolean => made.has(request)
