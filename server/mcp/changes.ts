import type { ServerEvent } from '@modelcontextprotocol/server'
import { type InterfaceClient, RefusedError } from './interface-client.ts'
import type { PathEvent, WatchedResources } from './watched-resources.ts'

interface FollowedEvent extends PathEvent {
  created?: true
  deleted?: true
  memberId?: string
}

export interface Changes {
  /** Of the last event that they tell of. */
  cursor: number
  changes: ServerEvent[]
}

interface ChangesRequest {
  since: number
  watched: WatchedResources
  signal: AbortSignal
}

/** How long a request for events is held: what is sent then keeps a connection alive. */
const waitSeconds = 15

/**
 * What changes from a cursor on, as the caller of the client may know at that moment; now and then nothing. Ends with the
 * signal, and with the key.
 */
export async function* followChanges(
  client: InterfaceClient,
  { since, watched, signal }: ChangesRequest,
): AsyncGenerator<Changes, void> {
  let cursor = since
  try {
    while (!signal.aborted) {
      const query = { since: cursor, wait: waitSeconds, self: 'include', includeOwn: 1 }
      // A signal of its own: listeners of each request would gather on one that lasts.
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
