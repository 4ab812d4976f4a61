import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { escapeMarkdown } from '../escape-markdown.ts'
import { plainText } from '../inbox/canonical-mentions.ts'
import { containedMarkdown } from './contained-markdown.ts'

/**
 * A room as a file: its name, what it is for, and what was said, with one heading for each message.
 * @param said oldest first
 * @param people `authorOf`: a member's display name by id; `names`: present names by member id, for the mentions
 */
export function transcriptOf(
  room: Pick<RoomRow, 'name' | 'description'>,
  said: readonly Pick<MessageRow, 'id' | 'authorId' | 'body' | 'sentMs'>[],
  people: { authorOf: (memberId: string) => string; names: Readonly<Record<string, string>> },
): string {
  const messages = said.map(({ id, authorId, body, sentMs }) => {
    const author = escapeMarkdown(people.authorOf(authorId))
    const heading = `## ${author} · ${new Date(sentMs).toISOString()} · \`${id}\``
    return `${heading}\n\n${containedMarkdown(plainText(body, people.names))}`
  })
  const description = room.description.trim() === '' ? [] : [containedMarkdown(room.description)]
  return `${[`# ${escapeMarkdown(room.name)}`, ...description, ...messages].join('\n\n')}\n`
}
