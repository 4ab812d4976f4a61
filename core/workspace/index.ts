import { isDeepStrictEqual } from 'node:util'
import { keepSnapshot } from '../../data/backup/kept-snapshots.ts'
import { holdsProjects } from '../../data/home.ts'
import { openOutbound } from '../../data/outbound/http.ts'
import { openMail } from '../../data/outbound/mail.ts'
import { lockHome, openTree } from '../../data/tree/index.ts'
import { WholeFolders } from '../../data/tree/whole-folders.ts'
import type { Caller } from '../access/member.ts'
import { Announcements } from '../asks/announcements.ts'
import { AskPages } from '../asks/ask-pages.ts'
import { Asks } from '../asks/asks.ts'
import { Downloads } from '../attachments/downloads.ts'
import { Comments } from '../comments/comments.ts'
import type { Config } from '../config.ts'
import { Annotations } from '../documents/catalogue/annotations.ts'
import { Catalogue } from '../documents/catalogue/catalogue.ts'
import { Contents } from '../documents/catalogue/contents.ts'
import { Events } from '../events/events.ts'
import { LiveEvents } from '../events/live-events.ts'
import { trimmingOf } from '../events/trimming.ts'
import { openSignedLinks } from '../files/signed-links.ts'
import { Health } from '../health/index.ts'
import { requireOwnPlace, requireWorkspace } from '../home/home.ts'
import { explained, openHomeDatabase } from '../home/home-database.ts'
import { AnsweredRequests } from '../idempotency.ts'
import { idMaker, systemRandom } from '../ids.ts'
import { Inbox } from '../inbox/inbox.ts'
import { UnreadMentions } from '../inbox/unread-mentions.ts'
import { markdownService } from '../markdown/index.ts'
import { MemberManagement } from '../members/management.ts'
import type { Members } from '../members/members.ts'
import { Presence } from '../members/presence.ts'
import { News } from '../news/news.ts'
import { Notifications } from '../notifications/notifications.ts'
import { Unsubscribing } from '../notifications/unsubscribing.ts'
import { Plan } from '../plan/plan.ts'
import { Posts } from '../posts/posts.ts'
import { Previews } from '../previews/previews.ts'
import { createProject } from '../projects/creation.ts'
import { ProjectLinks } from '../projects/links.ts'
import { ProjectManagement } from '../projects/management.ts'
import { KnownPulls } from '../pulls/known-pulls.ts'
import { openRepositories } from '../repositories/index.ts'
import { ensureWelcomeRoom } from '../room-members/welcome-room.ts'
import { Messages } from '../rooms/messages.ts'
import { Passages } from '../rooms/passages.ts'
import { RoomReading } from '../rooms/reading.ts'
import { Rooms } from '../rooms/rooms.ts'
import { Typing } from '../rooms/typing.ts'
import { Indexing } from '../search/indexing.ts'
import { NamedThings } from '../search/named.ts'
import { Search } from '../search/search.ts'
import { Secrets } from '../secrets.ts'
import { Sessions } from '../sessions/sessions.ts'
import { SigninMail } from '../sessions/signin-mail.ts'
import { openSkills } from '../skills/index.ts'
import { systemClock, withoutTimers } from '../time/clock.ts'
import { WatchedClock } from '../time/watched-clock.ts'
import { openTouches } from '../touches/touches.ts'
import { Usage } from '../usage/usage.ts'
import { openWebhookCalls, startWebhooks } from '../webhooks/index.ts'
import { openContent } from './content.ts'
import { openDirectories } from './directories.ts'
import { WorkspaceIdentity } from './identity.ts'
import { measure } from './metrics.ts'
import { openTables } from './tables.ts'
import type { Workspace, WorkspaceOptions } from './types.ts'

export type { Workspace, WorkspaceOptions } from './types.ts'

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
    random = systemRandom,
    onProblem = () => {},
    scanEveryMs = 30_000,
    isOffline = false,
    faults = {},
  } = options
  requireWorkspace(home)
  requireOwnPlace(home)
  const lock = lockHome(home)
  const closers: (() => unknown)[] = [() => lock.release()]
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close()
  }
  const health = new Health({ home, clock: options.clock ?? systemClock, onProblem })
  try {
    const database = openHomeDatabase(home, {
      isLocked: true,
      ...health.databaseListeners(),
      ...faults.database,
    })
    closers.push(() => database.close())
    if (database.isAlone)
      onProblem('The disk is full: no command works beside this server until it is restarted')
    const tables = openTables(database.connection)
    const clock = new WatchedClock({
      ...tables,
      clock: options.clock ?? systemClock,
      database,
      onProblem,
    })
    closers.push(() => clock.stop())
    const tree = health.watch(openTree(home, { isPrivate: config.disk.private, ...faults.tree }))
    const newId = idMaker(clock, random)
    const directories = openDirectories({ database, clock, random, newId })
    const { members, invites, projects, memberships } = directories
    await ensureWelcomeRoom({ ...directories, database, clock, newId })
    const markdown = faults.markdown ?? markdownService({ isWarmed: !isOffline })
    closers.push(() => markdown.close())
    const outbound = faults.outbound ?? openOutbound(config.outbound)

    let publicUrl = ''
    const pageUrl = (path: string) => publicUrl + path
    const outgoing = isOffline ? withoutTimers(clock) : clock
    const previews = new Previews({ ...tables, database, outbound, clock: outgoing, pageUrl, onProblem })
    closers.push(() => previews.stop())
    const presence = new Presence(clock)
    const typing = new Typing({ clock, memberships })
    const touches = openTouches({ ...directories, database, clock, presence, typing })
    closers.push(
      () => presence.stop(),
      () => typing.close(),
    )
    members.onLeft((memberId) => typing.endAll(memberId))
    const identity = new WorkspaceIdentity({ database, workspace: tables.workspace })
    const hooks = openWebhookCalls({ ...directories, database, org: identity, clock, newId, presence })
    const inbox = new Inbox(tables.inboxRows, {
      ...directories,
      presence,
      mailDueMs: (memberId, atMs) => notifications?.dueMs(memberId, atMs) ?? null,
    })
    const catalogue = new Catalogue()
    const secrets = new Secrets(tables.secrets, random)
    const signedLinks = await openSignedLinks({ database, secrets, clock, pageUrl })
    const parts = {
      ...tables,
      clock,
      diskNow: () => Date.now(),
      scanEveryMs,
      newId,
      database,
      tree,
      members,
      projects,
      events: new Events(tables.loggedEvents, clock, random),
      touches,
      inbox,
      indexing: new Indexing({ ...tables, database, projects }),
      pulls: new KnownPulls({ ...tables, projects, pageUrl }),
      previews,
      webhookCalls: hooks.webhookCalls,
      markdown,
      catalogue,
      annotations: new Annotations({ ...tables, catalogue, onProblem }),
      contents: new Contents(tables.revisions, markdown),
      signedLinks,
      diskMember: diskMemberOf(config, members),
      pageUrl,
      onProblem,
    }
    const chat = { ...parts, ...directories, presence, typing }
    const unreadMentions = new UnreadMentions(chat)
    const reading = new RoomReading(chat)
    const unsubscribing = new Unsubscribing(members, secrets)
    const mailing = mailingOf(config)
    const notifications: Notifications | null =
      mailing &&
      new Notifications({
        ...chat,
        ...mailing,
        unreadMentions,
        unsubscribing,
        get workspaceName() {
          return identity.name
        },
      })
    closers.push(() => notifications?.stop())
    members.onEmailChange((before) => notifications?.tellFormerAddress(before))
    const sessions = new Sessions({ ...chat, random })
    const signinMail =
      notifications &&
      new SigninMail({
        ...chat,
        get workspaceName() {
          return identity.name
        },
        write: (member, text, untilMs) => notifications.writeAsked(member, text, untilMs),
      })
    const content = openContent(parts, config.limits)
    const { attachments, disk, documents, libraryFiles, mount, postRecords } = content
    closers.push(() => content.stop())
    mount.start()
    await clock.start()
    health.add(() => disk.problems())
    health.start({
      async probe() {
        tree.discard(tree.stage(Buffer.from('probe')).name)
        await clock.write()
      },
      saveDatabase: async () =>
        holdsProjects(home) ? keepSnapshot(home, clock.now(), (to) => database.copyTo(to)) : null,
    })
    closers.push(() => health.stop())
    await content.start()
    const { skills, publishedSkills } = await openSkills({
      ...parts,
      versions: tables.skillVersions,
      folders: new WholeFolders(tree.home, faults.tree?.fs),
      requireThere: (project) => disk.requireThere(project),
    })
    previews.start()
    const code = await openRepositories({ ...parts, clock: outgoing, outbound }, { home, config })
    closers.push(() => code.stop())

    const refresh = () => {
      if (!database.foreignChange()) return
      touches.touch('workspace')
      identity.refresh()
      hooks.webhookCalls.look()
      members.refresh()
      projects.refresh()
      disk.refresh().catch((error) => onProblem('What another process changed could not be taken in', error))
    }
    const looking = setInterval(() => {
      try {
        refresh()
      } catch (error) {
        health.noteError(error)
        onProblem('What another process changed could not be read; this is tried again', error)
      }
    }, foreignLookMs).unref()
    closers.push(() => clearInterval(looking))

    const renewed = (caller: Caller) => members.renewed(caller) ?? sessions.renewed(caller)
    const liveEvents = new LiveEvents({ ...chat, random, refresh, renewed })
    database.onChange(() => liveEvents.look())
    const trimming = trimmingOf(parts)
    closers.push(() => trimming.stop())
    await trimming.start()
    closers.push(() => liveEvents.release())

    const speech = { ...chat, answered: new AnsweredRequests(tables.answeredRequests, clock) }
    const talk = new Messages(speech)
    const askPages = new AskPages(speech)
    const discussion = new Comments({ ...speech, posts: postRecords })
    const { webhooks, stop } = await startWebhooks({
      ...chat,
      clock: outgoing,
      ...hooks,
      talk,
      discussion,
      outbound,
      random,
      refresh,
    })
    closers.push(() => stop())

    const isThere: typeof disk.isThere = (record) => disk.isThere(record)
    const create: Workspace['createProject'] = async (caller, request) => {
      const project = await createProject({ projects, tree }, { ...request, lead: caller.member })
      await disk.scan()
      return project
    }

    return {
      identity,
      id: identity.id,
      slug: identity.slug,
      get name() {
        return identity.name
      },
      clock,
      random,
      newId,
      members,
      management: new MemberManagement(members, clock),
      invites,
      sessions,
      signinLinks: directories.signinLinks,
      signinMail,
      projects,
      projectManagement: new ProjectManagement({
        ...parts,
        create,
        postCount: (projectId) => documents.lists.postCount(projectId),
        onReopened: () => content.publishDue(),
      }),
      projectLinks: new ProjectLinks(parts),
      documents,
      trash: content.trash,
      links: content.links,
      rendering: content.rendering,
      posts: new Posts({ ...parts, postRecords, writes: documents.writes }),
      attachments,
      libraryFiles,
      mount,
      repositories: code.repositories,
      pulls: code.pulls,
      downloads: new Downloads({ links: signedLinks, members, attachments, files: libraryFiles }),
      previews,
      liveEvents,
      touches,
      search: new Search({ ...chat, isThere }),
      named: new NamedThings({ ...chat, reading }),
      rooms: new Rooms({ ...chat, reading }),
      news: new News({ ...chat, reading, unreadMentions, isThere }),
      messages: talk,
      passages: new Passages(chat),
      asks: new Asks({ ...speech, announcements: new Announcements({ ...chat, talk }) }),
      askPages,
      plan: new Plan({ ...parts, lists: documents.lists, askPages }),
      comments: discussion,
      webhooks,
      skills,
      publishedSkills,
      typing,
      presence,
      inbox: unreadMentions,
      usage: new Usage({
        ...parts,
        get workspaceName() {
          return identity.name
        },
      }),
      unsubscribing,
      health: () => health.problems(),
      noteError: (error) => health.noteError(error),
      scan: () => disk.scan(),
      skipped: () => disk.skipped(),
      measure: () => measure({ ...parts, health, liveEvents, skipped: () => disk.skipped() }),
      createProject: create,
      refresh,
      async setPublicUrl(url) {
        publicUrl = url
        notifications?.start()
        const { allow } = config.outbound
        const isKnown =
          tables.workspace.address() === url && isDeepStrictEqual(tables.workspace.outboundAllow(), allow)
        if (isKnown) return
        await database
          .commit(() => {
            tables.workspace.setAddress(url)
            tables.workspace.setOutboundAllow(allow)
          })
          .catch((error) => onProblem('The address could not be written down for the command line', error))
      },
      close: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw explained(home, error, { isLocked: true })
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
