import { readMentionsPath } from '../paths.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'

export interface MentionDetails {
  id: string
  author: string
  subjectKind: 'post' | 'comment' | 'message'
  /** What a comment is on; absent for a post. */
  commentedKind?: 'document' | 'card'
  /** The id of the post, also for a comment, or of the room. */
  placeId: string
  title: string
  /** The root of the thread; null outside of threads. */
  threadId: string | null
  /** Plain text; null for a post. */
  preview: string | null
  isWhole: boolean
  at: number
  path: string
  /** Reads the complete message, however old. */
  readPath: string
}

const locationText = {
  post: () => '',
  comment: ({ readPath }: MentionDetails) => `a comment (\`${readPath}\`) on `,
  message: ({ threadId }: MentionDetails) =>
    threadId === null ? 'the room ' : `the thread \`${threadId}\` of the room `,
} as const

function mentionLine(mention: MentionDetails): string {
  const { id, author, subjectKind, title, preview, isWhole, at, path, readPath } = mention
  const location = `${locationText[subjectKind](mention)}*${escapeMarkdown(title)}*`
  const previewText = preview === null ? '' : ` · ${escapeMarkdown(preview)}`
  const cutOffHint = isWhole || subjectKind === 'post' ? '' : '… (cut off here)'
  const isReadElsewhere = subjectKind === 'message' && !isWhole && readPath !== path
  const threadHint = isReadElsewhere ? ` · with its thread: \`${readPath}\`` : ''
  return `- ${new Date(at).toISOString()} · **${escapeMarkdown(author)}** in ${location}: \`${path}\` · \`${id}\`${previewText}${cutOffHint}${threadHint}`
}

const countOf = (count: number) => (count === 1 ? '1 unread mention' : `${count} unread mentions`)

const instructions = `GET a path to read it. \`POST ${readMentionsPath}\` marks all of them as read, and with
\`{"ids": ["<id>"]}\` those alone.`

export function mentionsPage(mentions: readonly MentionDetails[]): string {
  if (mentions.length === 0) {
    return '# Mentions\n\nYou have no unread mentions.\n'
  }
  const lines = mentions.map(mentionLine).join('\n')
  return `# Mentions\n\n${countOf(mentions.length)}, newest first. ${instructions}\n\n${lines}\n`
}
