import type { NotificationKind } from '../inbox/kinds.ts'

export interface NotificationText {
  kind: NotificationKind
  author: string
  title: string
  preview: string | null
}

const sentences: Record<NotificationKind, (author: string, title: string) => string> = {
  mention: (author, title) => `${author} mentioned you in ${title}`,
  card: (author, title) => `${author} assigned you the card “${title}”`,
  ask: (author, title) => `${author} assigned you “${title}”`,
  comment: (author, title) => `${author} commented on “${title}”`,
  reply: (author, title) => `${author} replied in ${title}`,
  direct: (author) => `${author} sent you a message`,
  answer: (author, title) => `${author} answered “${title}”`,
  removed: (author, title) => `${author} removed you from ${title}`,
}

/** A sentence without its full stop. */
export const notificationSentence = ({ kind, author, title }: NotificationText): string =>
  sentences[kind](author, title)
