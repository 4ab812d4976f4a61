import { type DatabaseOptions, openDatabase } from '../data/database.ts'
import { databasePath } from '../data/home.ts'
import { type Outbound, openOutbound } from '../data/outbound/http.ts'
import { openMail } from '../data/outbound/mail.ts'
import { answeredRequestsTable } from '../data/tables/answered-requests.ts'
import { documentsTable } from '../data/tables/documents.ts'
import { eventLog } from '../data/tables/event-log.ts'
import { eventsTable } from '../data/tables/events.ts'
import { formerNamesTable } from '../data/tables/former-names.ts'
import { inboxTable } from '../data/tables/inbox.ts'
import { journalTable } from '../data/tables/journal.ts'
import { linkPreviewsTable } from '../data/tables/link-previews.ts'
import { mailOutboxTable } from '../data/tables/mail.ts'
import { messagesTable } from '../data/tables/messages.ts'
import { revisionsTable } from '../data/tables/revisions.ts'
import { searchTable } from '../data/tables/search.ts'
import { secretsTable } from '../data/tables/secrets.ts'
import { workspaceTable } from '../data/tables/workspace.ts'
import { lockHome, openTree, type TreeOptions } from '../data/tree/index.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { openDirectories } from './directories.ts'
import { Catalogue } from './documents/catalogue.ts'
import { Contents } from './documents/contents.ts'
import { type Documents, documentsService, type Parts } from './documents/index.ts'
import { Events } from './events/events.ts'
import { LiveEvents } from './events/live-events.ts'
import { trimmingOf } from './events/trimming.ts'
import { requireOwnPlace, requireWorkspace } from './home.ts'
import { AnsweredRequests } from './idempotency.ts'
import { idMaker, type NewId, type RandomBytes, systemRandom } from './ids.ts'
import { Inbox } from './inbox/inbox.ts'
import { UnreadMentions } from './inbox/unread-mentions.ts'
import { type MarkdownService, markdownService } from './markdown/index.ts'
import type { Invites } from './members/invites.ts'
import { MemberManagement } from './members/management.ts'
import type { Members } from './members/members.ts'
import { Presence } from './members/presence.ts'
import type { Caller } from './members/types.ts'
import { Notifications } from './notifications/notifications.ts'
import { Unsubscribing } from './notifications/unsubscribing.ts'
import { Previews } from './previews/previews.ts'
import { createProjectFolders, readmeText } from './projects/folders.ts'
import type { Projects } from './projects/projects.ts'
import type { Project } from './projects/types.ts'
import { Messages } from './rooms/messages.ts'
import { Rooms } from './rooms/rooms.ts'
import { Typing } from './rooms/typing.ts'
import { ensureWelcomeRoom } from './rooms/welcoming.ts'
import { Secrets } from './secrets.ts'
import { openWebhookCalls, startWebhooks, type Webhooks } from './webhooks/index.ts'

/** A workspace that is open: what the server asks. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly clock: Clock
  readonly random: RandomBytes
  readonly newId: NewId
  readonly members: Members
  readonly management: MemberManagement
  readonly invites: Invites
  readonly projects: Projects
  readonly documents: Documents
  /** What the pages that posts link to say of themselves. */
  readonly previews: Pick<Previews, 'of'>
  readonly liveEvents: LiveEvents
  readonly rooms: Rooms
  readonly messages: Messages
  readonly typing: Typing
  readonly presence: Presence
  readonly inbox: UnreadMentions
  readonly webhooks: Webhooks
  /** How a person ends the mail to them without signing in. */
  readonly unsubscribing: Unsubscribing
  /** Problems that an operator must know, in words, with the mend. Empty: healthy. */
  health(): { problem: string; mend: string }[]
  /** Files that are left alone, and why. */
  skipped(): { path: string; reason: string }[]
  /** Makes a project with its folders; the caller becomes its lead. @throws WorkspaceError */
  createProject(caller: Caller, request: { name: string; slug?: string }): Promise<Project>
  /** Notices what another process wrote; microseconds when nothing. */
  refresh(): void
  /** The base address of pages, without a slash at its end; known once the port is. Mail, which holds it, waits for it. */
  setPublicUrl(url: string): void
  /** Ends timers, watcher and database; what was answered is durable. */
  close(): Promise<void>
}

export interface WorkspaceOptions {
  /** Absolute path of the home. */
  home: string
  config: Pick<Config, 'disk' | 'outbound' | 'smtp'>
  clock?: Clock
  random?: RandomBytes
  /** Hears what an operator should. */
  onProblem?: (message: string, error?: unknown) => void
  /** How often everything on the disk is looked at, whatever the watcher says. Default 30,000 ms. */
  scanEveryMs?: number
  /** What a test puts in the way of the disk, the database, the parsing, and others' servers. */
  faults?: {
    tree?: TreeOptions
    database?: DatabaseOptions
    markdown?: MarkdownService
    outbound?: Outbound
  }
}

/** How often other processes' writes are looked for when no request comes that would. */
const foreignLookMs = 250

/**
 * Opens a workspace, the only one on its home: builds the stores, then the services on them. Resolves once what a crash
 * left is finished and what happened on the disk meanwhile has been taken in.
 * @throws WorkspaceError `not_found` where none lives; HomeLockedError where it is served already
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const {
    home,
    config,
    clock = systemClock,
    random = systemRandom,
    onProblem = () => {},
    scanEveryMs = 30_000,
    faults = {},
  } = options
  requireWorkspace(home)
  requireOwnPlace(home)
  const lock = lockHome(home)
  const closers: (() => unknown)[] = [() => lock.release()]
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close()
  }
  try {
    const database = openDatabase(databasePath(home), {
      onDeferredFailure: (error) => onProblem('A deferred write failed', error),
      ...faults.database,
    })
    closers.push(() => database.close())
    const db = database.connection
    const tree = openTree(home, faults.tree)
    const newId = idMaker(clock, random)
    const directories = openDirectories({ database, clock, random, newId })
    const { members, invites, projects, memberships } = directories
    await ensureWelcomeRoom({ ...directories, database, clock, newId })
    const markdown = faults.markdown ?? markdownService()
    closers.push(() => markdown.close())
    const outbound = faults.outbound ?? openOutbound(config.outbound)

    let publicUrl = ''
    const pageUrl = (path: string) => publicUrl + path
    const linkPreviews = linkPreviewsTable(db)
    const previews = new Previews({ database, linkPreviews, outbound, clock, pageUrl, onProblem })
    closers.push(() => previews.stop())
    const revisions = revisionsTable(db)
    const messages = messagesTable(db)
    const presence = new Presence(clock)
    const typing = new Typing({ clock, memberships })
    members.onLeft((memberId) => typing.endAll(memberId))
    const org = workspaceTable(db).find()!
    const hooks = openWebhookCalls({ ...directories, database, org, clock, newId, presence })
    const inboxRows = inboxTable(db)
    const inbox = new Inbox(inboxRows, {
      ...directories,
      presence,
      mailDueMs: (memberId, atMs) => notifications?.dueMs(memberId, atMs) ?? null,
    })
    const parts: Parts = {
      clock,
      diskNow: () => Date.now(),
      scanEveryMs,
      newId,
      database,
      documents: documentsTable(db),
      revisions,
      formerNames: formerNamesTable(db),
      journal: journalTable(db),
      tree,
      members,
      projects,
      events: new Events(eventsTable(db), clock, random),
      inbox,
      previews,
      webhookCalls: hooks.webhookCalls,
      markdown,
      catalogue: new Catalogue(),
      contents: new Contents(revisions, markdown),
      diskMember: diskMemberOf(config, members),
      pageUrl,
      onProblem,
    }
    const chat = { ...parts, ...directories, messages, presence, typing }
    const unreadMentions = new UnreadMentions(chat)
    const unsubscribing = new Unsubscribing(members, new Secrets(secretsTable(db), random))
    const mailing = mailingOf(config)
    const notifications: Notifications | null =
      mailing &&
      new Notifications({
        ...chat,
        ...mailing,
        inboxRows,
        outbox: mailOutboxTable(db),
        unreadMentions,
        unsubscribing,
        workspaceName: org.name,
      })
    closers.push(() => notifications?.stop())
    const documents = documentsService(parts)
    closers.push(() => documents.stop())
    await documents.start()
    previews.start()

    const refresh = () => {
      if (!database.foreignChange()) return
      members.refresh()
      projects.refresh()
      documents
        .refresh()
        .catch((error) => onProblem('What another process changed could not be taken in', error))
    }
    const looking = setInterval(refresh, foreignLookMs).unref()
    closers.push(() => clearInterval(looking))

    const log = eventLog(db)
    const liveEvents = new LiveEvents({ ...chat, log, random, refresh })
    database.onChange(() => liveEvents.look())
    const trimming = trimmingOf({ ...parts, log })
    closers.push(() => trimming.stop())
    await trimming.start()
    closers.push(() => liveEvents.release())

    const talk = new Messages({
      ...chat,
      search: searchTable(db),
      answered: new AnsweredRequests(answeredRequestsTable(db), clock),
    })
    const { webhooks, stop } = await startWebhooks({ ...chat, ...hooks, talk, outbound, random, refresh })
    closers.push(() => stop())

    return {
      ...org,
      clock,
      random,
      newId,
      members,
      management: new MemberManagement(members),
      invites,
      projects,
      documents,
      previews,
      liveEvents,
      rooms: new Rooms(chat),
      messages: talk,
      webhooks,
      typing,
      presence,
      inbox: unreadMentions,
      unsubscribing,
      health: () => documents.problems(),
      skipped: () => documents.skipped(),
      async createProject(caller, request) {
        const project = await projects.add({ ...request, lead: caller.member })
        createProjectFolders(tree, project, { readme: readmeText(project.name) })
        await documents.scan()
        return project
      },
      refresh,
      setPublicUrl(url) {
        publicUrl = url
        notifications?.start()
      },
      close: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** Whom an edit on the disk counts for: the member of the file's owner on this machine, else the configured one, else the first owner. */
function diskMemberOf({ disk }: Pick<Config, 'disk'>, members: Members): (uid: number) => string {
  return (uid) => {
    const named = disk.uids[String(uid)] ?? disk.member
    const member = named === null ? null : members.resolve(named)
    return (member ?? members.firstOwner()).id
  }
}

/** How mail goes out; null where no mail server is configured. */
function mailingOf({ smtp }: Pick<Config, 'smtp'>) {
  const { host, from, delaySeconds } = smtp
  if (host === null || from === null) return null
  return { mail: openMail({ ...smtp, host, from }), from, delayMs: delaySeconds * 1000 }
}
