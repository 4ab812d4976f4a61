import type { ServerEvent } from '@modelcontextprotocol/server'
import type { Changes } from './changes.ts'

const retryMs = 1000

/** Encodes changes as server-sent events, each with the cursor at which a client resumes. */
export async function* eventStream(
  since: number,
  changes: AsyncIterable<Changes>,
): AsyncGenerator<string, void> {
  yield `id: ${since}\nretry: ${retryMs}\ndata: \n\n`
  for await (const { cursor, changes: events } of changes) {
    // Only a cursor's last event carries it: a client that lost the stream in between gets all again.
    const last = events.length - 1
    for (const [index, change] of events.entries()) {
      yield `${index === last ? `id: ${cursor}\n` : ''}data: ${JSON.stringify(notificationOf(change))}\n\n`
    }
    if (events.length === 0) yield ': nothing new\n\n'
  }
}

const methods = {
  tools_list_changed: 'notifications/tools/list_changed',
  prompts_list_changed: 'notifications/prompts/list_changed',
  resources_list_changed: 'notifications/resources/list_changed',
  resource_updated: 'notifications/resources/updated',
} satisfies Record<ServerEvent['kind'], string>

const notificationOf = (event: ServerEvent) => ({
  jsonrpc: '2.0',
  method: methods[event.kind],
  ...(event.kind === 'resource_updated' && { params: { uri: event.uri } }),
})
