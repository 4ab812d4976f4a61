import { type DatabaseOptions, openDatabase } from '../data/database.ts'
import { databasePath } from '../data/home.ts'
import { documentsTable } from '../data/tables/documents.ts'
import { eventsTable } from '../data/tables/events.ts'
import { formerNamesTable } from '../data/tables/former-names.ts'
import { inboxTable } from '../data/tables/inbox.ts'
import { journalTable } from '../data/tables/journal.ts'
import { revisionsTable } from '../data/tables/revisions.ts'
import { workspaceTable } from '../data/tables/workspace.ts'
import { lockHome, openTree, type TreeOptions } from '../data/tree/index.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { openDirectories } from './directories.ts'
import { Catalogue } from './documents/catalogue.ts'
import { Contents } from './documents/contents.ts'
import { type Documents, documentsService, type Parts } from './documents/index.ts'
import { Events } from './events/events.ts'
import { requireOwnPlace, requireWorkspace } from './home.ts'
import { idMaker, type NewId, type RandomBytes, systemRandom } from './ids.ts'
import { Inbox } from './inbox/inbox.ts'
import { type UnreadMentionRow, unreadMentions } from './inbox/unread-mentions.ts'
import { type MarkdownService, markdownService } from './markdown/index.ts'
import type { Members } from './members/members.ts'
import { Presence } from './members/presence.ts'
import type { Caller } from './members/types.ts'
import { createProjectFolders, readmeText } from './projects/folders.ts'
import type { Projects } from './projects/projects.ts'
import type { Project } from './projects/types.ts'

/** A workspace that is open: what the server asks. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly clock: Clock
  readonly random: RandomBytes
  readonly newId: NewId
  readonly members: Members
  readonly projects: Projects
  readonly documents: Documents
  readonly inbox: { unread(caller: Caller): UnreadMentionRow[] }
  /** Problems that an operator must know, in words, with the mend. Empty: healthy. */
  health(): { problem: string; mend: string }[]
  /** Files that are left alone, and why. */
  skipped(): { path: string; reason: string }[]
  /** Makes a project with its folders; the caller becomes its lead. @throws WorkspaceError */
  createProject(caller: Caller, request: { name: string; slug?: string }): Promise<Project>
  /** Notices what another process wrote; microseconds when nothing. */
  refresh(): void
  /** The base address of pages, without a slash at its end; known once the port is. */
  setPublicUrl(url: string): void
  /** Ends timers, watcher and database; what was answered is durable. */
  close(): Promise<void>
}

export interface WorkspaceOptions {
  /** Absolute path of the home. */
  home: string
  config: Pick<Config, 'disk'>
  clock?: Clock
  random?: RandomBytes
  /** Hears what an operator should. */
  onProblem?: (message: string, error?: unknown) => void
  /** How often everything on the disk is looked at, whatever the watcher says. Default 30,000 ms. */
  scanEveryMs?: number
  /** What a test puts in the way of the disk and the database. */
  faults?: { tree?: TreeOptions; database?: DatabaseOptions; markdown?: MarkdownService }
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
    const { members, projects } = openDirectories({ database, clock, random, newId })
    const markdown = faults.markdown ?? markdownService()
    closers.push(() => markdown.close())

    let publicUrl = ''
    const revisions = revisionsTable(db)
    const inbox = new Inbox(inboxTable(db), { members, projects, presence: new Presence(clock) })
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
      markdown,
      catalogue: new Catalogue(),
      contents: new Contents(revisions, markdown),
      diskMember: diskMemberOf(config, members),
      pageUrl: (path) => publicUrl + path,
      onProblem,
    }
    const documents = documentsService(parts)
    closers.push(() => documents.stop())
    await documents.start()

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

    return {
      ...workspaceTable(db).find()!,
      clock,
      random,
      newId,
      members,
      projects,
      documents,
      inbox: { unread: (caller) => unreadMentions(caller, { ...parts, inbox }) },
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
