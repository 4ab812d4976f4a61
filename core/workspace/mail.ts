import { openMail as openMailServer } from '../../data/outbound/mail.ts'
import type { Secrets } from '../access/secrets.ts'
import type { Config } from '../config.ts'
import { UnreadMentions, type UnreadMentionsDeps } from '../inbox/unread-mentions.ts'
import type { UnreadNotices } from '../inbox/unread-notices.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { NotificationSettings } from '../notifications/notification-settings.ts'
import { Notifications, type NotificationsDeps } from '../notifications/notifications.ts'
import { MailSchedule } from '../notifications/schedule.ts'
import { UnsubscribeLinks } from '../notifications/unsubscribe-links.ts'
import { SigninMail, type SigninMailDeps } from '../sessions/signin-mail.ts'
import type { Closers } from './closers.ts'

type MailDeps = UnreadMentionsDeps & { unreadNotices: UnreadNotices } & Omit<
    NotificationsDeps,
    'unreadMentions' | 'unsubscribeLinks' | keyof MailSending
  > &
  Omit<SigninMailDeps, 'write'> & { secrets: Secrets }

type MailSending = NonNullable<ReturnType<typeof mailSendingFor>>

/** Null if no mail server is configured. */
export function mailSendingFor(
  { smtp }: Pick<Config, 'smtp'>,
  members: MemberStore,
  settings: NotificationSettings,
) {
  const { host, from, delaySeconds } = smtp
  if (host === null || from === null) return null
  const schedule = new MailSchedule(members, delaySeconds * 1000, (id, kind) => settings.isMailed(id, kind))
  return { mail: openMailServer({ ...smtp, host, from }), from, schedule }
}

export function openMail(deps: MailDeps, mailSending: MailSending | null, closers: Closers) {
  const unreadMentions = new UnreadMentions(deps)
  const unsubscribeLinks = new UnsubscribeLinks(deps)
  if (!mailSending) return { unreadMentions, unsubscribeLinks, notifications: null, signinMail: null }
  const notifications = new Notifications({
    ...deps,
    ...mailSending,
    unreadMentions,
    unsubscribeLinks,
  })
  closers.add(() => notifications.stop())
  deps.members.onEmailChange((before) => notifications.notifyFormerAddress(before))
  const signinMail = new SigninMail({
    ...deps,
    write: (member, text, untilMs) => notifications.sendRequested(member, text, untilMs),
  })
  return { unreadMentions, unsubscribeLinks, notifications, signinMail }
}
