import type { IncomingMessage } from 'node:http'

const toolRequests = new WeakSet<IncomingMessage>()

/** Marks a request of a tool, whose caller's request was already checked and counted. */
export const markToolRequest = (request: IncomingMessage): void => {
  toolRequests.add(request)
}

/** No client can fake this. */
export const isToolRequest = (request: IncomingMessage): boolean => toolRequests.has(request)
