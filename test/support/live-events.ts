import type { IncomingHttpHeaders } from 'node:http'
import type { Actor } from './chat.ts'
import { eventually } from './eventually.ts'
import type { Workroom } from './workroom.ts'

/** An event in a response (`docs/interface.md#events`). */
export interface EventView {
  type: 'message' | 'message.reaction' | 'message.pin' | 'ask' | 'doc.write' | 'doc.delete' | 'project.join'
  ts: number
  [field: string]: unknown
}

export interface EventsResponse {
  status: number
  headers: IncomingHttpHeaders
  events: EventView[]
  cursor: number
  error: string
}

/** Requests events. @param query such as `since=0&wait=0` */
export async function pollEvents(
  workroom: Workroom,
  { key }: Pick<Actor, 'key'>,
  query = '',
): Promise<EventsResponse> {
  const { status, headers, json } = await workroom.request('GET', `/v1/events?${query}`, { key })
  return { status, headers, ...json }
}

export const fetchEvents = (
  workroom: Workroom,
  actor: Pick<Actor, 'key'>,
  since: number,
  query = '',
): Promise<EventsResponse> => pollEvents(workroom, actor, `since=${since}&wait=0&${query}`)

export async function fetchNewestCursor(workroom: Workroom): Promise<number> {
  const { headers } = await pollEvents(workroom, workroom.owner, 'wait=0')
  return Number(headers['x-service-events-head'])
}

export interface HeldRequest {
  response: Promise<EventsResponse>
}

/** Requests events and waits until the request is held, which starts a timer. */
export async function holdRequest(
  workroom: Workroom,
  actor: Pick<Actor, 'key'>,
  since: number,
  query = '',
): Promise<HeldRequest> {
  const before = workroom.clock.timerCount
  const response = pollEvents(workroom, actor, `since=${since}&${query}`)
  // A refused request is not held; the test sees the refusal in `response`.
  const refused = response.then(({ status }) => status >= 400)
  await Promise.race([eventually(() => workroom.clock.timerCount > before), refused])
  return { response }
}
