import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { EventsResponse, LiveEvents } from '../../core/events/live-events.ts'
import { RequestLifetime } from '../../core/events/request-lifetime.ts'
import type { TopicRequest } from '../../core/events/topics.ts'
import { accepts } from '../accepted-input.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { flag } from '../input-types.ts'
import { projectParameter } from '../project-fields.ts'
import { eventPage } from '../schemas/events.ts'

const defaultWaitSeconds = 25

/** Anything but a positive number means no wait. */
const seconds = z
  .string()
  .transform((text) => Math.max(0, Number(text)) || 0)
  .meta({ type: 'number', minimum: 0, description: 'Seconds to hold the request for news' })

const followEvents = accepts({
  query: {
    since: z.string().describe('The cursor of the answer before; without it, what comes next').optional(),
    wait: seconds.default(defaultWaitSeconds),
    project: projectParameter,
    doc: z.string().describe('A document, by its id').optional(),
    self: z
      .string()
      .optional()
      .meta({ enum: ['include'], description: 'include: also your own writes' }),
    includeOwn: flag.describe('1: also your own messages'),
    // For our pages only.
    touch: z.string().describe('For the pages of Workroom').optional(),
    touched: z.string().describe('For the pages of Workroom').optional(),
  },
})

type Query = ReturnType<typeof followEvents.query>

/** `docs/interface.md#events`. @param stopping releases held requests */
export function eventRoutes(events: LiveEvents, stopping: AbortSignal): Routes {
  stopping.addEventListener('abort', () => events.release(), { once: true })
  return newRoutes()
    .purpose('Follow events, oldest first; held until there are any')
    .answers(eventPage)
    .answersHeaders({
      'X-Service-Events-Head': 'The cursor of the newest event',
      'X-Service-Events-Oldest': 'The cursor of the oldest that is kept',
      'X-Service-Events-Epoch': 'Changes where the workspace is restored: cursors begin anew',
    })
    .refuses('forbidden', 'not_found')
    .get('/v1/events', followEvents, async (ctx) => {
      const query = followEvents.query(ctx)
      const { since, project, doc: documentId } = query
      const topics = readTopics(query)
      const request = {
        waitMs: query.wait * 1000,
        ownMessages: query.includeOwn,
        ownWrites: query.self === 'include',
        ...(since !== undefined && { since }),
        ...(project && { project }),
        ...(documentId && { documentId }),
        ...(topics && { topics }),
      }
      const lifetime = new RequestLifetime()
      ctx.res.once('close', () => lifetime.disconnect())
      const answer = await events.follow(ctx.state.caller, request, lifetime)
      send(ctx, answer, stopping)
    })
}

/**
 * Sends at once: Koa sends after logging, so of a thousand answers the first would wait for all log lines.
 */
function send(
  ctx: Context,
  { body, head, oldest, epoch, changes }: EventsResponse,
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
  if (changes) {
    res.setHeader('X-Service-Touches', changes.sequence)
    res.setHeader('X-Service-Touched', changes.topics.join(','))
  }
  if (stopping.aborted) res.setHeader('Connection', 'close')
  res.end(body)
}

/** Change topics of our pages: `?touch=room:…,workspace&touched=<the last X-Service-Touches>`. */
function readTopics({ touch, touched }: Query): TopicRequest | null {
  if (!touch) return null
  return { topics: touch.split(','), sequence: sequenceOf(touched) }
}

function sequenceOf(text: string | undefined): number | null {
  if (!text) return null
  const sequence = Number(text)
  if (Number.isSafeInteger(sequence) && sequence >= 0) return sequence
  throw new WorkspaceError(
    'bad_request',
    'touched must be the X-Service-Touches of the previous response. Leave it out to start.',
  )
}
