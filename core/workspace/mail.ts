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
    'unreadMentions' | 'unsubscribeLinks' | keyof Sending
  > &
  Omit<SigninMailDeps, 'write'> & { secrets: Secrets }

type Sending = NonNullable<ReturnType<typeof sendingOf>>

/** Null if no mail server is configured. */
export function sendingOf(
  { smtp }: Pick<Config, 'smtp'>,
  members: MemberStore,
  settings: NotificationSettings,
) {
  const { host, from, delaySeconds } = smtp
  if (host === null || from === null) return null
  const schedule = new MailSchedule(members, delaySeconds * 1000, (id, kind) => settings.isMailed(id, kind))
  return { mail: openMailServer({ ...smtp, host, from }), from, schedule }
}

export function openMail(deps: MailDeps, sending: Sending | null, closers: Closers) {
  const unreadMentions = new UnreadMentions(deps)
  const unsubscribeLinks = new UnsubscribeLinks(deps)
  if (!sending) return { unreadMentions, unsubscribeLinks, notifications: null, signinMail: null }
  const notifications = new Notifications({
    ...deps,
    ...sending,
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
