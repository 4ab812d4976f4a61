import type { MailMessage } from '../../data/outbound/mail.ts'
import type { Member } from '../access/member.ts'
import type { UnreadMentionView } from '../inbox/unread-mentions.ts'
import type { NoticeView } from '../inbox/unread-notices.ts'
import { escapeHtml } from '../text/escape-html.ts'
import { notificationSentence } from './notification-text.ts'

export interface MailText {
  subject: string
  paragraphs: Paragraph[]
}

interface Paragraph {
  text: string
  quote?: string
  url?: string
  linkText?: string
}

const maxMentions = 50

const maxSubjectLength = 200

const locationText = {
  post: ({ title }: UnreadMentionView) => `the post “${title}”`,
  comment: ({ commentedKind, title }: UnreadMentionView) =>
    `a comment on the ${commentedKind ?? 'post'} “${title}”`,
  message: ({ title }: UnreadMentionView) => title,
} as const

/** Both lists are newest first. */
export function notificationsText(
  mentions: readonly UnreadMentionView[],
  notices: readonly NoticeView[],
  { workspaceName }: { workspaceName: string },
): MailText {
  const items = [...mentions.map(mentionItem), ...notices.map(noticeItem)].sort(
    (one, other) => other.at - one.at,
  )
  const noun = notices.length === 0 ? 'mentions' : 'notifications'
  const newest = items.slice(0, maxMentions).toReversed()
  const omittedCount = items.length - newest.length
  return {
    subject: subjectOf(items, { noun, workspaceName }),
    paragraphs: [
      ...(omittedCount > 0
        ? [{ text: `These are the newest ${newest.length} of ${items.length} ${noun}.` }]
        : []),
      ...newest.map(
        ({ sentence, preview, url }): Paragraph => ({
          text: `${sentence}:`,
          ...(preview !== null && { quote: preview }),
          url,
        }),
      ),
    ],
  }
}

interface MailItem extends Pick<NoticeView, 'at' | 'placeId' | 'title' | 'preview' | 'url'> {
  subject: string
  sentence: string
}

const mentionItem = (mention: UnreadMentionView): MailItem => ({
  ...mention,
  subject: `${mention.author} mentioned you in ${mention.title}`,
  sentence: `${mention.author} mentioned you in ${locationText[mention.subjectKind](mention)}`,
})

const noticeItem = (notice: NoticeView): MailItem => {
  const sentence = notificationSentence(notice)
  return { ...notice, subject: sentence, sentence }
}

function subjectOf(
  items: readonly MailItem[],
  { noun, workspaceName }: { noun: string; workspaceName: string },
): string {
  const [{ placeId, subject, title }, ...rest] = items as [MailItem, ...MailItem[]]
  if (rest.length === 0) return subject
  const isSamePlace = rest.every((other) => other.placeId === placeId)
  return `${items.length} ${noun} in ${isSamePlace ? title : workspaceName}`
}

export function changedAddressText(
  { name }: Pick<Member, 'name'>,
  { workspaceName, atMs }: { workspaceName: string; atMs: number },
): MailText {
  const changedAt = new Date(atMs)
    .toISOString()
    .replace(/:\d\d\.\d{3}Z$/, ' UTC')
    .replace('T', ' ')
  return {
    subject: `Email address at ${workspaceName} was changed`,
    paragraphs: [
      {
        text: `${name}, your email address at ${workspaceName} was changed at ${changedAt}. Mentions and sign-in links go to the new one. Sign-in links sent to this address no longer work.`,
      },
      {
        text: 'If you did not change it, contact an owner or admin immediately. They can restore it and revoke your keys.',
      },
    ],
  }
}

/** Why a mail is sent: to a member, on request, or to a former address. */
export type MailReason = 'member' | 'requested' | 'former'

const reasons: Record<MailReason, (workspace: string) => string> = {
  member: (workspace) => `You received this email as a member of ${workspace}.`,
  requested: (workspace) =>
    `You received this email because someone requested it at ${workspace}, with your address.`,
  former: (workspace) => `You received this email because this was your address at ${workspace} until now.`,
}

/** @param unsubscribeUrl null for mail that is always sent */
export function renderMail(
  { subject, paragraphs }: MailText,
  options: { workspaceName: string; reason: MailReason; unsubscribeUrl: string | null },
): Pick<MailMessage, 'subject' | 'text' | 'html'> {
  const { unsubscribeUrl } = options
  const workspace = oneLine(options.workspaceName)
  const reason = reasons[options.reason](workspace)
  const sanitized = paragraphs.map(
    ({ text, quote, url, linkText = `Read it in ${workspace}` }): Paragraph => ({
      text: oneLine(text),
      ...(quote !== undefined && { quote: withUrls(withVisibleControls(quote), originOf(url)) }),
      ...(url !== undefined && { url, linkText }),
    }),
  )
  const unsubscribeLink = unsubscribeUrl && ` <a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a>`
  const footer = `<hr>\n<p><small>${escapeHtml(reason)}${unsubscribeLink ?? ''}</small></p>`
  return {
    subject: [...oneLine(subject)].slice(0, maxSubjectLength).join(''),
    text: [
      ...sanitized.map(toText),
      `-- \n${reason}\n${unsubscribeUrl === null ? '' : `Unsubscribe: ${unsubscribeUrl}\n`}`,
    ].join('\n\n'),
    html: page([...sanitized.map(toHtml), footer]),
  }
}

function toText({ text, quote, url }: Paragraph): string {
  const lines = [text]
  if (quote !== undefined) lines.push(quote.replace(/^/gm, '> '))
  if (url !== undefined) lines.push(url)
  return lines.join('\n\n')
}

function toHtml({ text, quote, url, linkText = '' }: Paragraph): string {
  const lines = [`<p>${escapeHtml(text)}</p>`]
  if (quote !== undefined) {
    const quoted = linkifyToHtml(quote, originOf(url))
    lines.push(`<blockquote style="white-space: pre-line">${quoted}</blockquote>`)
  }
  if (url !== undefined) {
    lines.push(`<p><a href="${escapeHtml(url)}">${escapeHtml(linkText)}</a></p>`)
  }
  return lines.join('\n')
}

const originOf = (url: string | undefined): string => (url === undefined ? '' : new URL(url).origin)

const page = (parts: readonly string[]): string =>
  `<!doctype html>\n<html lang="en">\n<body>\n${parts.join('\n')}\n</body>\n</html>\n`

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Removes control characters, which a terminal could interpret. */
const withVisibleControls = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')

/** A markdown link or image whose destination is a path of the workspace. */
const localLink = /!?\[((?:\\.|[^\]\\\n])*)\]\((\/[^/\s()][^\s()]*)\)/g

/** Writes the URL of each link into the workspace after its text. */
const withUrls = (text: string, origin: string): string =>
  text.replace(localLink, (_, label: string, path: string) => {
    const linkText = label.replace(/\\([!-/:-@[-`{-~])/g, '$1')
    return linkText === '' ? origin + path : `${linkText} (${origin}${path})`
  })

/** Turns URLs of the workspace into links. */
const linkifyToHtml = (text: string, origin: string): string =>
  text
    .split(/(https?:\/\/[^\s()]+)/)
    .map((part) =>
      part.startsWith(`${origin}/`)
        ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>`
        : escapeHtml(part),
    )
    .join('')
