import type { ServerEvent } from '@modelcontextprotocol/server'
import { type InterfaceClient, RefusedError } from './interface-client.ts'
import type { PathEvent, WatchedResources } from './watched-resources.ts'

interface FollowedEvent extends PathEvent {
  created?: true
  deleted?: true
  memberId?: string
}

interface Changes {
  /** Of the last event considered. */
  cursor: number
  changes: ServerEvent[]
}

interface ChangesRequest {
  since: number
  watched: WatchedResources
  signal: AbortSignal
}

/** Each response, even an empty one, keeps the stream's connection alive. */
const waitSeconds = 15

/** Yields changes that the caller may see, sometimes none. Ends with the signal, or with the key. */
export async function* followChanges(
  client: InterfaceClient,
  { since, watched, signal }: ChangesRequest,
): AsyncGenerator<Changes, void> {
  let cursor = since
  try {
    while (!signal.aborted) {
      const query = { since: cursor, wait: waitSeconds, self: 'include', includeOwn: 1 }
      // A fresh signal per request: listeners would pile up on a long-lived one.
      const { json } = await client.send('GET', '/v1/events', { query, signal: AbortSignal.any([signal]) })
      cursor = json.cursor
      yield { cursor, changes: await changesOf(client, watched, json.events) }
    }
  } catch (error) {
    if (!signal.aborted && !(error instanceof RefusedError)) throw error
  }
}

async function changesOf(
  client: InterfaceClient,
  watched: WatchedResources,
  events: readonly FollowedEvent[],
): Promise<ServerEvent[]> {
  const uris = await watched.changedBy(client, events)
  const hasPrompts = events.some(({ type }) => type === 'skill.publish' || type === 'project.join')
  return [
    ...(hasPrompts ? [{ kind: 'prompts_list_changed' } as const] : []),
    ...(hasPrompts || events.some(isListChange) ? [{ kind: 'resources_list_changed' } as const] : []),
    ...uris.map((uri) => ({ kind: 'resource_updated', uri }) as const),
  ]
}

const isListChange = ({ created, deleted, previousPath }: FollowedEvent): boolean =>
  created === true || deleted === true || previousPath !== undefined

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
