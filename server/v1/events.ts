import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { EventsAnswer, LiveEvents } from '../../core/events/live-events.ts'
import { Patience } from '../../core/events/patience.ts'
import type { TopicRequest } from '../../core/events/topics.ts'
import { accepts } from '../accepted-input.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { queryText } from '../request-fields.ts'

const defaultWaitSeconds = 25

/** The last two are for our pages. */
const parameters = ['since', 'wait', 'project', 'doc', 'self', 'includeOwn', 'touch', 'touched']

/**
 * Live events (`docs/interface.md#events`): those after a cursor, or the next.
 * @param stopping fires when the server is about to stop: waiting requests are then answered without events
 */
export function eventRoutes(events: LiveEvents, stopping: AbortSignal): Routes {
  stopping.addEventListener('abort', () => events.release(), { once: true })
  return newRoutes()
    .purpose('Follow events, oldest first; held open until there is news')
    .get('/v1/events', accepts({ query: parameters }), async (ctx) => {
      const since = queryText(ctx, 'since')
      const project = queryText(ctx, 'project')
      const documentId = queryText(ctx, 'doc')
      const touch = readTopics(ctx)
      const request = {
        waitMs: waitMsOf(ctx),
        ownMessages: queryText(ctx, 'includeOwn') === '1',
        ownWrites: queryText(ctx, 'self') === 'include',
        ...(since !== undefined && { since }),
        ...(project && { project }),
        ...(documentId && { documentId }),
        ...(touch && { touch }),
      }
      const patience = new Patience()
      ctx.res.once('close', () => patience.leave())
      const answer = await events.follow(ctx.state.caller, request, patience)
      send(ctx, answer, stopping)
    })
}

/**
 * Sends an answer here and now. Koa would send it when the request has been logged: of a thousand that are answered at
 * once, the first would wait for the log lines of all.
 */
function send(
  ctx: Context,
  { body, head, oldest, epoch, touches }: EventsAnswer,
  stopping: AbortSignal,
): void {
  const { res } = ctx
  ctx.respond = false
  ctx.status = 200
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('X-Service-Events-Head', head)
  res.setHeader('X-Service-Events-Oldest', oldest)
  res.setHeader('X-Service-Events-Epoch', epoch)
  if (touches) {
    res.setHeader('X-Service-Touches', touches.sequence)
    res.setHeader('X-Service-Touched', touches.topics.join(','))
  }
  if (stopping.aborted) res.setHeader('Connection', 'close')
  res.end(body)
}

function waitMsOf(ctx: Context): number {
  const seconds = Number(queryText(ctx, 'wait') ?? defaultWaitSeconds)
  return seconds > 0 ? seconds * 1000 : 0
}

/** What our pages follow beside the events: `?touch=room:…,workspace&touched=<X-Service-Touches of the answer before>`. */
function readTopics(ctx: Context): TopicRequest | null {
  const topics = queryText(ctx, 'touch')
  if (!topics) return null
  return { topics: topics.split(','), sequence: sequenceOf(queryText(ctx, 'touched')) }
}

function sequenceOf(text: string | undefined): number | null {
  if (!text) return null
  const sequence = Number(text)
  if (Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  throw new WorkspaceError(
    'bad_request',
    'touched must be the X-Service-Touches of the answer before. Leave it out to begin.',
  )
}
