import { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { fileHeaders, pageUrl, rangeConditions } from '../described-headers.ts'
import { roomList } from '../schemas/tree.ts'
import { sendFile } from '../send-file.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

/** Each room is a file: the transcript of its latest messages, or of a thread. */
export const roomRoutes = ({
  attachments,
  rooms,
}: Pick<Workspace['rooms'], 'attachments' | 'rooms'>): Routes => {
  const transcript = (ctx: RouteContext, { thread }: { thread?: string }) => {
    const { text, url } = rooms.transcript(ctx.state.caller, ctx.params.room!, thread)
    ctx.set('X-Service-Url', url)
    sendGenerated(ctx, text, 'text/markdown')
  }
  return newRoutes()
    .purpose('List rooms, each as a transcript')
    .answers(roomList)
    .refuses('forbidden')
    .get('/rooms', (ctx) => {
      ctx.body = { rooms: rooms.files(ctx.state.caller) }
    })
    .purpose('Read a file of a room, as messages link to it')
    .answers('application/octet-stream')
    .answersHeaders(fileHeaders)
    .refuses('forbidden', 'not_found', 'too_large')
    .get('/rooms/:room/attachments/:id', accepts({ headers: rangeConditions }), (ctx) => {
      sendFile(ctx, attachments.open(ctx.state.caller, ctx.params.room!, ctx.params.id!))
    })
    .use(
      generatedFile('/rooms/:room', 'Read the last messages of a room; ?thread= reads a thread', transcript, {
        query: { thread: z.string().describe('A message of the thread, by its id').optional() },
        answersHeaders: pageUrl,
        refuses: ['forbidden', 'not_found'],
      }).routes(),
    )
}
