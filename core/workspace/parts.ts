import { openOutbound } from '../../data/outbound/http.ts'
import { openMail as openMailServer } from '../../data/outbound/mail.ts'
import { Secrets } from '../access/secrets.ts'
import type { Config } from '../config.ts'
import { Catalogue } from '../documents/catalogue/catalogue.ts'
import { DocumentMetadata } from '../documents/catalogue/document-metadata.ts'
import { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import { Events, startEventLog } from '../events/events.ts'
import { openSignedLinks } from '../files/signed-links.ts'
import { Inbox } from '../inbox/inbox.ts'
import { Notices, type NotificationListener } from '../inbox/notices.ts'
import { UnreadMentions, type UnreadMentionsDeps } from '../inbox/unread-mentions.ts'
import { UnreadNotices } from '../inbox/unread-notices.ts'
import { markdownService } from '../markdown/index.ts'
import type { MemberStore } from '../members/member-store.ts'
import { NotificationSettings } from '../notifications/notification-settings.ts'
import { Notifications, type NotificationsDeps } from '../notifications/notifications.ts'
import { Push } from '../notifications/push.ts'
import { openPushKeys } from '../notifications/push-keys.ts'
import { MailSchedule } from '../notifications/schedule.ts'
import { UnsubscribeLinks } from '../notifications/unsubscribe-links.ts'
import { Previews } from '../previews/previews.ts'
import { StoredPulls } from '../pulls/stored-pulls.ts'
import { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'
import { SearchIndexer } from '../search/search-indexer.ts'
import { Sessions } from '../sessions/sessions.ts'
import { SigninMail, type SigninMailDeps } from '../sessions/signin-mail.ts'
import { calendarOf } from '../time/calendar.ts'
import { withoutTimers } from '../time/clock.ts'
import { openDeliveryEnqueuer } from '../webhooks/index.ts'
import type { Closers } from './closers.ts'
import type { People } from './people.ts'
import type { Storage } from './storage.ts'
import type { WorkspaceOptions } from './types.ts'

export type Parts = Awaited<ReturnType<typeof openParts>>

export async function openParts(
  options: WorkspaceOptions,
  storage: Storage,
  people: People,
  closers: Closers,
) {
  const { config, isOffline = false } = options
  const { clock, tables } = storage
  const { identity, members } = people
  await startEventLog({ ...storage, ...tables })
  const base = openBase(options, storage, people, closers)
  /** Timers never fire while offline. */
  const outgoingClock = isOffline ? withoutTimers(clock) : clock
  const previews = new Previews({ ...base, clock: outgoingClock })
  closers.add(() => previews.stop())
  const { webhooks, deliveries, deliveryEnqueuer } = openDeliveryEnqueuer({ ...base, org: identity })
  const settings = new NotificationSettings(base)
  const mailSending = mailSendingFor(config, members, settings)
  const onRecord: NotificationListener = (...record) => push.enqueue(...record)
  const scheduled = { mail: mailSending?.schedule ?? null, onRecord }
  const inbox = new Inbox({ ...tables, ...people, ...scheduled })
  const unreadNotices = new UnreadNotices(base)
  const mail = openMail({ ...base, inbox, unreadNotices }, mailSending, closers)
  const sessions = new Sessions(base)
  const pushKeys = await openPushKeys(base)
  const push = new Push({
    ...base,
    ...mail,
    clock: outgoingClock,
    unreadNotices,
    sessions,
    settings,
    pushKeys,
  })
  closers.add(() => push.stop())
  return {
    ...base,
    ...mail,
    webhooks,
    deliveries,
    deliveryEnqueuer,
    previews,
    inbox,
    noticeStore: new Notices({ ...base, ...scheduled }),
    settings,
    unreadNotices,
    push,
    pushKeys,
    outgoing: outgoingClock,
    metadata: new DocumentMetadata(base),
    attachmentStore: new RoomAttachmentStore(base),
    pulls: new StoredPulls(base),
    signedLinks: await openSignedLinks(base),
    sessions,
    sessionRows: tables.sessions,
  }
}

function openBase(
  { config, scanEveryMs = 30_000, isOffline = false, faults = {} }: WorkspaceOptions,
  storage: Storage,
  people: People,
  closers: Closers,
) {
  const { clock, database, random, tables } = storage
  const { members, projects } = people
  const markdown = faults.markdown ?? markdownService({ isWarmed: !isOffline })
  closers.add(() => markdown.close())
  return {
    ...tables,
    ...storage,
    ...people,
    scanEveryMs,
    dayOf: calendarOf(config.timeZone),
    diskNow: faults.diskNow ?? (() => Date.now()),
    pageUrl: (path: string) => storage.address.pageUrl(path),
    diskMember: diskMember(config, members),
    markdown,
    outbound: faults.outbound ?? openOutbound(config.outbound),
    catalogue: new Catalogue(),
    contents: new RevisionContents(tables.revisions, markdown),
    events: new Events({ ...tables, clock }),
    indexing: new SearchIndexer({ ...tables, database, projects }),
    secrets: new Secrets({ ...tables, random }),
  }
}

/** The member configured for the file's user, else for all files, else the first owner. */
function diskMember({ disk }: Pick<Config, 'disk'>, members: MemberStore): (uid: number) => string {
  return (uid) => {
    const configured = disk.uids[String(uid)] ?? disk.member
    const member = configured === null ? null : members.resolve(configured)
    return (member ?? members.firstOwner()).id
  }
}

type MailDeps = UnreadMentionsDeps & { unreadNotices: UnreadNotices } & Omit<
    NotificationsDeps,
    'unreadMentions' | 'unsubscribeLinks' | keyof MailSending
  > &
  Omit<SigninMailDeps, 'write'> & { secrets: Secrets }

type MailSending = NonNullable<ReturnType<typeof mailSendingFor>>

/** Null if no mail server is configured. */
function mailSendingFor(
  { smtp }: Pick<Config, 'smtp'>,
  members: MemberStore,
  settings: NotificationSettings,
) {
  const { host, from, delaySeconds } = smtp
  if (host === null || from === null) return null
  const schedule = new MailSchedule(members, delaySeconds * 1000, (id, kind) => settings.isMailed(id, kind))
  return { mail: openMailServer({ ...smtp, host, from }), from, schedule }
}

function openMail(deps: MailDeps, mailSending: MailSending | null, closers: Closers) {
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
