import { z } from 'zod'
import type { inboxRecord } from '../../schemas/inbox.ts'
import { type InterfaceClient, toolPath } from '../interface-client.ts'
import { present, tool } from '../tool.ts'

export const say = tool({
  name: 'say',
  title: 'Say something',
  description:
    'Posts a message in a room (room, with thread to reply to a message), or a comment on a post (post) or on a document or card (document). Mention people as @Name.',
  input: z.strictObject({
    text: z.string().min(1).max(20_000),
    room: z.string().optional().describe('A room’s id'),
    thread: z.string().optional().describe('The id of the message, or comment, that is answered'),
    post: z.string().optional().describe('A post’s id'),
    document: z.string().optional().describe('The id of a document or card'),
    block: z.string().optional().describe('The id of the block that the comment is on; default: all of it'),
  }),
  output: z.object({
    id: z.string(),
    unreached: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
  }),
  async run(client, { text: body, room, thread, post, document, block }) {
    const places = [room, post, document].filter((place) => place !== undefined)
    if (places.length !== 1) throw new Error('Send exactly one of room, post and document.')
    const id = encodeURIComponent(places[0]!)
    const answer = room
      ? await client.send('POST', `/api/rooms/${id}/messages`, {
          fields: { body, ...present({ threadId: thread }) },
        })
      : await client.send('POST', `/v1/${post ? 'posts' : 'documents'}/${id}/comments`, {
          fields: { body, ...present({ parentId: thread, block }) },
        })
    const { messageId, comment, unreached } = answer.json
    return {
      id: messageId ?? comment._id,
      ...present({
        unreached: unreached?.map(({ name, reason }: Record<string, string>) => ({ name, reason })),
      }),
    }
  },
})

export const inbox = tool({
  name: 'inbox',
  title: 'Read the inbox',
  description:
    'Lists what is unread: mentions, replies, assignments, comments. Answer one with say: its room, post or document, and its id as thread. With markRead these ids, or all, are marked as read instead.',
  input: z.strictObject({
    markRead: z.union([z.literal('all'), z.array(z.string()).min(1)]).optional(),
  }),
  output: z.object({
    records: z
      .array(
        z.object({
          id: z.string(),
          kind: z.string(),
          from: z.string(),
          title: z.string(),
          preview: z.string().optional(),
          at: z.int(),
          room: z.string().optional(),
          post: z.string().optional(),
          document: z.string().optional(),
          ask: z.string().optional(),
        }),
      )
      .optional(),
    markedRead: z.int().optional(),
  }),
  async run(client, { markRead }) {
    if (markRead !== undefined) {
      const fields = markRead === 'all' ? {} : { ids: markRead }
      return { markedRead: (await client.send('POST', '/v1/inbox/read', { fields })).json.read }
    }
    const { json } = await client.send('GET', '/v1/inbox', { query: { limit: 50 } })
    return {
      records: json.records.map((record: SentRecord) => ({
        id: record._id,
        kind: record.kind,
        from: record.author.name,
        title: record.title,
        ...(record.preview !== null && { preview: record.preview }),
        at: record.at,
        [placeOf(record)]: record.placeId,
      })),
    }
  },
})

type SentRecord = z.output<typeof inboxRecord>

/** As say names it. */
function placeOf({ placeId, url }: SentRecord): 'room' | 'post' | 'document' | 'ask' {
  if (placeId.startsWith('room_')) return 'room'
  if (placeId.startsWith('ask_')) return 'ask'
  return /\/posts\//.test(url) ? 'post' : 'document'
}

const maxWaitSeconds = 25

export const follow = tool({
  name: 'follow',
  title: 'Follow events',
  description:
    'Waits for what happens next: messages, writes of files, changes of asks. Start without since; continue with since = cursor of the previous result.',
  input: z.strictObject({
    since: z.number().optional(),
    waitSeconds: z.int().min(0).max(maxWaitSeconds).optional(),
    project: z.string().optional(),
  }),
  output: z.object({ events: z.array(z.record(z.string(), z.unknown())), cursor: z.number() }),
  isReadOnly: true,
  async run(client, { since, waitSeconds = maxWaitSeconds, project }) {
    if (since === undefined) return { events: [], cursor: await newestCursor(client) }
    const { json } = await client.send('GET', '/v1/events', { query: { since, wait: waitSeconds, project } })
    return { events: json.events.map(leanEvent), cursor: json.cursor }
  },
})

async function newestCursor(client: InterfaceClient): Promise<number> {
  const { header } = await client.send('GET', '/v1/events', { query: { since: Date.now(), wait: 0 } })
  return Number(header('x-service-events-head'))
}

/** Without what other fields say, or what is of no use to a caller that reads paths. */
function leanEvent({
  authorId,
  authorType,
  blockIds,
  url,
  projectId,
  changed,
  roomName,
  via,
  ts,
  mentioned,
  ...event
}: Record<string, unknown>) {
  const { path } = event
  return {
    ...event,
    ...(mentioned === true && { mentioned }),
    ...(typeof path === 'string' && { path: toolPath(path) }),
  }
}
