import { commentsPath, readMentionsPath } from '../paths.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'

/** What a page says of an unread mention. */
export interface MentionDetails {
  /** Of what the mention stands in: by it the mention is marked as read. */
  id: string
  /** Display name. */
  author: string
  standsIn: 'post' | 'comment' | 'message'
  /** Of the post, also for a comment on it; or of the room. */
  placeId: string
  /** Of the post, also for a comment on it; or the name of the room. */
  title: string
  /** The message that began the thread in which the mention stands; null: it stands in no thread. */
  threadId: string | null
  /** How a message or comment begins, as plain text; null for a post, which its title stands for. */
  preview: string | null
  /** Whether `preview` is all that a message or comment says. */
  isWhole: boolean
  /** Unix milliseconds. */
  at: number
  /** `/v1/fs/…`, every segment percent-encoded. Of a reply in a room with the query that shows its thread. */
  path: string
  /** What reads the whole of it, however long ago it was said: a path on this server, with its query. */
  readPath: string
}

const locationText = {
  post: () => '',
  comment: ({ placeId }: MentionDetails) => `a comment (\`${commentsPath(placeId)}\`) on `,
  message: ({ threadId }: MentionDetails) =>
    threadId === null ? 'the room ' : `the thread \`${threadId}\` of the room `,
} as const

/** One mention as a line of a list: when, who, in what, where that is to be read, and what was said. */
export function mentionLine(mention: MentionDetails): string {
  const { id, author, standsIn, title, preview, isWhole, at, path, readPath } = mention
  const where = `${locationText[standsIn](mention)}*${escapeMarkdown(title)}*`
  const what = preview === null ? '' : ` · ${escapeMarkdown(preview)}`
  const rest = isWhole || standsIn === 'post' ? '' : '… (cut off here)'
  // A message whose whole text is above needs no other address than its room's.
  const isReadElsewhere = standsIn === 'message' && !isWhole && readPath !== path
  const whole = isReadElsewhere ? ` · with its thread: \`${readPath}\`` : ''
  return `- ${new Date(at).toISOString()} · **${escapeMarkdown(author)}** in ${where}: \`${path}\` · \`${id}\`${what}${rest}${whole}`
}

const countOf = (count: number) => (count === 1 ? '1 unread mention' : `${count} unread mentions`)

const instructions = `GET a path to read what was said. \`POST ${readMentionsPath}\` marks all of them as read, and with
\`{"ids": ["<id>"]}\` those alone.`

/** The text of `inbox/mentions.md`. @param mentions newest first */
export function mentionsPage(mentions: readonly MentionDetails[]): string {
  if (mentions.length === 0) {
    return '# Mentions\n\nYou have no unread mentions.\n'
  }
  const lines = mentions.map(mentionLine).join('\n')
  return `# Mentions\n\n${countOf(mentions.length)}, newest first. ${instructions}\n\n${lines}\n`
}
