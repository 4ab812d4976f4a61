import type { IncomingMessage } from 'node:http'

const made = new WeakSet<IncomingMessage>()

/** Marks a request of a tool, whose caller's request was already checked and counted. */
export const markToolRequest = (request: IncomingMessage): void => {
  made.add(request)
}

/** No client can fake this. */
export const isToolRequest = (request: IncomingMessage): boolean => made.has(request)
