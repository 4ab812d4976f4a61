import { escapeMarkdown } from '../escape-markdown.ts'

/** What a page says of an unread mention. */
export interface MentionFacts {
  /** Display name. */
  author: string
  title: string
  /** Unix milliseconds. */
  at: number
  /** `/v1/fs/…`, every segment percent-encoded. */
  path: string
}

/** One mention as a line of a list: when, who, in what, and where that is to be read. */
export const mentionLine = ({ author, title, at, path }: MentionFacts): string =>
  `- ${new Date(at).toISOString()} · **${escapeMarkdown(author)}** in *${escapeMarkdown(title)}*: \`${path}\``

const countOf = (count: number) => (count === 1 ? '1 unread mention' : `${count} unread mentions`)

/** The text of `inbox/mentions.md`. @param mentions newest first */
export function mentionsPage(mentions: readonly MentionFacts[]): string {
  if (mentions.length === 0) {
    return '# Mentions\n\nNobody is waiting for you: there is no unread mention.\n'
  }
  const lines = mentions.map(mentionLine).join('\n')
  return `# Mentions\n\n${countOf(mentions.length)}, newest first. GET a path to read what was said.\n\n${lines}\n`
}
