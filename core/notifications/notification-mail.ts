import type { MailMessage } from '../../data/outbound/mail.ts'
import type { Member } from '../access/member.ts'
import type { UnreadMentionView } from '../inbox/unread-mentions.ts'
import { escapeHtml } from '../text/escape-html.ts'

/** What a letter says, in paragraphs. Plain text throughout. */
export interface MailText {
  subject: string
  paragraphs: Paragraph[]
}

interface Paragraph {
  /** One line. */
  text: string
  /** What somebody else has said, below it. */
  quote?: string
  /** Where to read more. */
  url?: string
  /** What the link to it says; default that more is read there. */
  linkText?: string
}

/** A letter names no more mentions than this; the rest is in the inbox. */
const maxMentions = 50

/** In characters (code points). */
const maxSubjectLength = 200

const locationText = {
  post: (title: string) => `the post “${title}”`,
  comment: (title: string) => `a comment on the post “${title}”`,
  message: (room: string) => room,
} as const

/** What a person is told of their unread mentions. @param mentions at least one, newest first */
export function mentionsText(
  mentions: readonly UnreadMentionView[],
  { workspaceName }: { workspaceName: string },
): MailText {
  const shown = mentions.slice(0, maxMentions).toReversed()
  const left = mentions.length - shown.length
  return {
    subject: subjectOf(mentions, workspaceName),
    paragraphs: [
      ...(left > 0 ? [{ text: `Of ${mentions.length} mentions these are the newest ${shown.length}.` }] : []),
      ...shown.map(
        ({ author, standsIn, title, preview, url }): Paragraph => ({
          text: `${author} mentioned you in ${locationText[standsIn](title)}:`,
          ...(preview !== null && { quote: preview }),
          url,
        }),
      ),
    ],
  }
}

function subjectOf(mentions: readonly UnreadMentionView[], workspaceName: string): string {
  const [{ author, placeId, title }, ...others] = mentions as [UnreadMentionView, ...UnreadMentionView[]]
  if (others.length === 0) return `${author} mentioned you in ${title}`
  const isOnePlace = others.every((other) => other.placeId === placeId)
  return `${mentions.length} mentions in ${isOnePlace ? title : workspaceName}`
}

/** What the former address of a member is told. @param member as they were before */
export function changedAddressText(
  { name }: Pick<Member, 'name'>,
  { workspaceName, atMs }: { workspaceName: string; atMs: number },
): MailText {
  const at = new Date(atMs)
    .toISOString()
    .replace(/:\d\d\.\d{3}Z$/, ' UTC')
    .replace('T', ' ')
  return {
    subject: `Email address at ${workspaceName} was changed`,
    paragraphs: [
      {
        text: `${name}, your email address at ${workspaceName} was changed at ${at}. Mentions and sign-in links go to the new one. Sign-in links sent to this address no longer work.`,
      },
      {
        text: 'If you did not change it, contact an owner or admin immediately. They can restore it and revoke your keys.',
      },
    ],
  }
}

/** Why somebody gets a letter: as a member, because they asked for it, or because their address was this one. */
export type MailReason = 'member' | 'asked' | 'former'

const reasons: Record<MailReason, (workspace: string) => string> = {
  member: (workspace) => `You received this mail as a member of ${workspace}.`,
  asked: (workspace) =>
    `You received this mail because someone requested it at ${workspace}, with your address.`,
  former: (workspace) => `You received this mail because this was your address at ${workspace} until now.`,
}

/** The parts of a letter that its text decides. @param unsubscribeUrl null for a letter that goes out in any case */
export function renderMail(
  { subject, paragraphs }: MailText,
  options: { workspaceName: string; why: MailReason; unsubscribeUrl: string | null },
): Pick<MailMessage, 'subject' | 'text' | 'html'> {
  const { unsubscribeUrl } = options
  const workspace = oneLine(options.workspaceName)
  const why = reasons[options.why](workspace)
  const safe = paragraphs.map(
    ({ text, quote, url, linkText = `Read it in ${workspace}` }): Paragraph => ({
      text: oneLine(text),
      ...(quote !== undefined && { quote: withVisibleControls(quote) }),
      ...(url !== undefined && { url, linkText }),
    }),
  )
  const wayOut = unsubscribeUrl && ` <a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a>`
  const end = `<hr>\n<p><small>${escapeHtml(why)}${wayOut ?? ''}</small></p>`
  return {
    subject: [...oneLine(subject)].slice(0, maxSubjectLength).join(''),
    text: [
      ...safe.map(asText),
      `-- \n${why}\n${unsubscribeUrl === null ? '' : `Unsubscribe: ${unsubscribeUrl}\n`}`,
    ].join('\n\n'),
    html: page([...safe.map(asHtml), end]),
  }
}

function asText({ text, quote, url }: Paragraph): string {
  const lines = [text]
  if (quote !== undefined) lines.push(quote.replace(/^/gm, '> '))
  if (url !== undefined) lines.push(url)
  return lines.join('\n\n')
}

function asHtml({ text, quote, url, linkText = '' }: Paragraph): string {
  const lines = [`<p>${escapeHtml(text)}</p>`]
  if (quote !== undefined) {
    lines.push(`<blockquote style="white-space: pre-line">${escapeHtml(quote)}</blockquote>`)
  }
  if (url !== undefined) {
    lines.push(`<p><a href="${escapeHtml(url)}">${escapeHtml(linkText)}</a></p>`)
  }
  return lines.join('\n')
}

const page = (parts: readonly string[]): string =>
  `<!doctype html>\n<html lang="en">\n<body>\n${parts.join('\n')}\n</body>\n</html>\n`

/** Nothing in it ends a line, which in a header would begin another. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Without the characters that a reader would not see, and a terminal would obey. */
const withVisibleControls = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
