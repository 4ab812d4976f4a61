import { z } from 'zod'
import { inboxPath, messagesPath, roomPath } from '../../../core/paths.ts'
import type { inboxRecord } from '../../schemas/inbox.ts'
import { type InterfaceClient, type InterfaceResponse, RefusedError, toolPath } from '../interface-client.ts'
import { present, tool } from '../tool.ts'

const room = z.string().describe('A room’s id, or its name as in rooms/<name>.md')

export const say = tool({
  name: 'say',
  title: 'Say something',
  description:
    'Posts a message in a room (room, with thread to reply to a message), or a comment on a post (post) or on a document or card (document). @Name mentions a member. It joins an open room; without text it only joins.',
  input: z.strictObject({
    text: z.string().min(1).max(20_000).optional(),
    room: room.optional(),
    thread: z.string().optional().describe('The id of the message, or comment, that is answered'),
    post: z.string().optional().describe('A post’s id'),
    document: z.string().optional().describe('The id of a document or card'),
    block: z.string().optional().describe('The id of the block that the comment is on; default: all of it'),
  }),
  output: z.object({
    id: z.string().optional(),
    joined: z.literal(true).optional(),
    unreached: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
  }),
  async run(client, { text, room, thread, post, document, block }, mentions) {
    const targets = [room, post, document].filter((target) => target !== undefined)
    if (targets.length !== 1) throw new Error('Send exactly one of room, post and document.')
    if (text === undefined) return join(client, room)
    const body = await mentions.makeCanonical(text)
    if (room !== undefined) {
      return postInRoom(client, room, () =>
        client.send('POST', messagesPathOf(room), { fields: { body, ...present({ threadId: thread }) } }),
      )
    }
    const path = `/v1/${post ? 'posts' : 'documents'}/${encodeURIComponent(targets[0]!)}/comments`
    return postResult(
      await client.send('POST', path, { fields: { body, ...present({ parentId: thread, block }) } }),
    )
  },
})

const messagesPathOf = (room: string): string => messagesPath(encodeURIComponent(room))

async function join(client: InterfaceClient, room: string | undefined): Promise<{ joined: true }> {
  if (room === undefined) throw new Error('Send text: what the comment says.')
  await client.send('POST', `${roomPath(encodeURIComponent(room))}/join`)
  return { joined: true }
}

/** Joins the room if necessary. @throws RefusedError of the message, which says more than that of joining */
async function postInRoom(client: InterfaceClient, room: string, post: () => Promise<InterfaceResponse>) {
  try {
    return postResult(await post())
  } catch (error) {
    if (!(error instanceof RefusedError && error.response.status === 403)) throw error
    await join(client, room).catch(() => Promise.reject(error))
    return { ...postResult(await post()), joined: true as const }
  }
}

function postResult({ json: { messageId, comment, unreached } }: InterfaceResponse) {
  return {
    id: (messageId ?? comment._id) as string,
    ...present({
      unreached: unreached?.map(({ name, reason }: Record<string, string>) => ({ name, reason })) as
        | { name: string; reason: string }[]
        | undefined,
    }),
  }
}

const maxRecords = 50

export const inbox = tool({
  name: 'inbox',
  title: 'Read the inbox',
  description:
    'Lists what is unread: mentions, replies, assignments, comments. Answer one with say: its room, post or document, and its id as thread. With markRead these ids, or all, are marked as read instead; with room all messages of this room. For more, mark these as read and call again.',
  input: z.strictObject({
    markRead: z.union([z.literal('all'), z.array(z.string()).min(1)]).optional(),
    room: room.optional(),
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
    more: z.literal(true).optional(),
    markedRead: z.int().optional(),
    readRoom: z.string().optional(),
  }),
  isIdempotent: true,
  async run(client, { markRead, room }) {
    if (room !== undefined) {
      if (markRead !== undefined) throw new Error('Send one of markRead and room.')
      await markRoomRead(client, room)
      return { readRoom: room }
    }
    if (markRead !== undefined) {
      const fields = markRead === 'all' ? {} : { ids: markRead }
      return { markedRead: (await client.send('POST', `${inboxPath}/read`, { fields })).json.read }
    }
    const { json } = await client.send('GET', inboxPath, { query: { limit: maxRecords + 1 } })
    const records = json.records as InboxRecordView[]
    return {
      records: records.slice(0, maxRecords).map((record) => ({
        id: record._id,
        kind: record.kind,
        from: record.author.name,
        title: record.title,
        ...(record.preview !== null && { preview: record.preview }),
        at: record.at,
        [targetKindOf(record)]: record.placeId,
      })),
      ...(records.length > maxRecords && { more: true as const }),
    }
  },
})

async function markRoomRead(client: InterfaceClient, room: string): Promise<void> {
  const { json } = await client.send('GET', messagesPathOf(room), { query: { limit: 1 } })
  const [newest] = json.page as { _id: string }[]
  if (newest === undefined) return
  const fields = { messageId: newest._id }
  await client.send('PUT', `${roomPath(encodeURIComponent(room))}/read`, { fields })
}

type InboxRecordView = z.output<typeof inboxRecord>

function targetKindOf({ placeId, url }: InboxRecordView): 'room' | 'post' | 'document' | 'ask' {
  if (placeId.startsWith('room_')) return 'room'
  if (placeId.startsWith('ask_')) return 'ask'
  return /\/posts\//.test(url) ? 'post' : 'document'
}

const maxWaitSeconds = 25

/** Fields of most events. The others are as in the interface. */
const followed = z.looseObject({
  type: z.string(),
  path: z.string().nullable().optional(),
  title: z.string().optional(),
  author: z.string().optional(),
  roomId: z.string().optional(),
  messageId: z.string().optional(),
  askId: z.string().optional(),
  preview: z.string().optional(),
  mentioned: z.boolean().optional(),
})

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
  output: z.object({ events: z.array(followed), cursor: z.number() }),
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

/** Drops fields that repeat others or do not help a caller that reads by path. */
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
