import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { plainText } from '../markdown/canonical-mentions.ts'
import { messagesPath } from '../paths.ts'
import { embedMarkdown } from '../text/embed-markdown.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'

/**
 * A room as a file: its name, what it is for, and what was said, with one heading for each message.
 * @param said oldest first
 * @param people `authorOf`: a member's display name by id; `names`: present names by member id, for the mentions
 */
export function roomTranscript(
  room: Pick<RoomRow, 'name' | 'description'>,
  said: readonly PostedMessage[],
  people: People,
): string {
  const description = room.description.trim() === '' ? [] : [embedMarkdown(room.description)]
  const hasThreads = said.some(({ replyCount }) => replyCount > 0)
  const hint = hasThreads
    ? ['Replies are in threads: add `?thread=<id>` to this path, with the id of a message, to read one.']
    : []
  return pageOf([`# ${escapeMarkdown(room.name)}`, ...description, ...hint, ...said.map(messageIn(people))])
}

/**
 * A thread of a room as a file: the message that began it, and the replies.
 * @param thread `first`: null where it was deleted; `replies`: those that are shown, oldest first; `count`: of all
 */
export function threadTranscript(
  room: Pick<RoomRow, 'id' | 'name'>,
  {
    id,
    first,
    replies,
    count,
  }: { id: string; first: PostedMessage | null; replies: readonly PostedMessage[]; count: number },
  people: People,
): string {
  const missing = first === null ? ' The message that began it was deleted.' : ''
  const part =
    replies.length < count
      ? ` ${replies.length} of its ${count} replies are shown: \`GET ${messagesPath(room.id)}?thread=${id}\` answers all of them, page by page.`
      : ''
  return pageOf([
    `# ${escapeMarkdown(room.name)}`,
    `The thread \`${id}\` of this room.${missing}${part}`,
    ...(first === null ? [] : [first]).map(messageIn(people)),
    ...replies.map(messageIn(people)),
  ])
}

type PostedMessage = Pick<MessageRow, 'id' | 'authorId' | 'body' | 'sentMs' | 'replyCount'>

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
