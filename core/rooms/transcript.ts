import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { plainText } from '../markdown/canonical-mentions.ts'
import { messagesPath } from '../paths.ts'
import { embedMarkdown } from '../text/embed-markdown.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'

export function roomTranscript(
  room: Pick<RoomRow, 'name' | 'description'>,
  messages: readonly PostedMessage[],
  people: People,
): string {
  const description = room.description.trim() === '' ? [] : [embedMarkdown(room.description)]
  const hasThreads = messages.some(({ replyCount }) => replyCount > 0)
  const hint = hasThreads
    ? ['Replies are in threads: add `?thread=<id>` to this path, with the id of a message, to read one.']
    : []
  return pageOf([
    `# ${escapeMarkdown(room.name)}`,
    ...description,
    ...hint,
    ...messages.map(messageIn(people)),
  ])
}

export function threadTranscript(
  room: Pick<RoomRow, 'id' | 'name'>,
  { id, first, replies, count }: PostedThread,
  people: People,
): string {
  const missing = first === null ? ' The first message was deleted.' : ''
  const part =
    replies.length < count
      ? ` ${replies.length} of its ${count} replies are shown: \`GET ${messagesPath(room.id)}?thread=${id}\` ` +
        'answers all of them, page by page.'
      : ''
  return pageOf([
    `# ${escapeMarkdown(room.name)}`,
    `The thread \`${id}\` of this room.${missing}${part}`,
    ...(first === null ? [] : [first]).map(messageIn(people)),
    ...replies.map(messageIn(people)),
  ])
}

type PostedMessage = Pick<MessageRow, 'id' | 'authorId' | 'body' | 'sentMs' | 'replyCount'>

interface PostedThread {
  id: string
  first: PostedMessage | null
  replies: readonly PostedMessage[]
  count: number
}

interface People {
  authorOf: (memberId: string) => string
  names: Readonly<Record<string, string>>
}

const pageOf = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`

const messageIn =
  (people: People) =>
  ({ id, authorId, body, sentMs, replyCount }: PostedMessage): string => {
    const author = escapeMarkdown(people.authorOf(authorId))
    const replies = replyCount === 0 ? '' : ` · ${replyCount === 1 ? '1 reply' : `${replyCount} replies`}`
    const heading = `## ${author} · ${new Date(sentMs).toISOString()} · \`${id}\`${replies}`
    return `${heading}\n\n${embedMarkdown(plainText(body, people.names))}`
  }
