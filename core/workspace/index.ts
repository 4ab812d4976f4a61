import { storeSnapshot } from '../../data/backup/snapshots.ts'
import { holdsProjects } from '../../data/home.ts'
import { StagedFolders } from '../../data/tree/staged-folders.ts'
import type { Caller } from '../access/member.ts'
import { LiveEvents } from '../events/live-events.ts'
import { eventTrimming } from '../events/trim-events.ts'
import type { Problem } from '../health/types.ts'
import { explainOpenError } from '../home/home-database.ts'
import { Visits } from '../orientation/visits.ts'
import { openRepositories } from '../repositories/index.ts'
import { EntryFinder } from '../search/entry-finder.ts'
import { UploadedFiles } from '../search/uploaded-files.ts'
import { openSkills } from '../skills/index.ts'
import { Closers } from './closers.ts'
import { openContent } from './content.ts'
import { openConversations } from './conversations.ts'
import { followForeignChanges } from './foreign-changes.ts'
import { collectMetrics } from './metrics.ts'
import { openParts, type Parts } from './parts.ts'
import { openPeople, type People } from './people.ts'
import { servicesOf } from './services.ts'
import { openStorage, type Storage } from './storage.ts'
import type { OpenWorkspace, Workspace, WorkspaceOptions } from './types.ts'

export type { OpenWorkspace, Workspace, WorkspaceOptions } from './types.ts'

/** A workspace that no other process can open, and of which nothing is read yet. */
interface LockedWorkspace {
  /** @param url without a slash at its end */
  setPublicUrl(url: string): Promise<void>
  /** Waits for recovery, and for changes made while the server was down unless there are many. */
  open(): Promise<OpenWorkspace>
  close(): Promise<void>
}

/**
 * Takes little time, however much the workspace contains.
 * @throws WorkspaceError `not_found`, or `conflict` for an unusable database; HomeLockedError if it is in use
 */
export async function lockWorkspace(options: WorkspaceOptions): Promise<LockedWorkspace> {
  const closers = new Closers()
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await closers.close()
      throw explainOpenError(options.home, error, { isLocked: true })
    }
  }
  const storage = await attempt(() => openStorage(options, closers))
  return {
    setPublicUrl: (url) => storage.address.set(url),
    open: () => attempt(() => open(options, storage, closers)),
    close: () => closers.close(),
  }
}

/** @throws as `lockWorkspace` */
export const openWorkspace = async (options: WorkspaceOptions): Promise<OpenWorkspace> =>
  (await lockWorkspace(options)).open()

async function open(options: WorkspaceOptions, storage: Storage, closers: Closers): Promise<OpenWorkspace> {
  const { home, config, faults } = options
  const people = await openPeople(storage, closers)
  const parts = await openParts(options, storage, people, closers)
  const content = openContent(parts, config.limits)
  closers.add(() => content.stop())
  content.mount.start()
  await storage.clock.start()
  startHealth(storage, [content.disk, content.live], closers)
  // Incomplete pages are rendered again.
  content.disk.caughtUp.listen(() => people.changeTopics.markChanged('workspace'))
  await content.start()
  const { edits, ...skills } = await openSkills({
    ...parts,
    versions: parts.skillVersions,
    folders: new StagedFolders(storage.tree.home, faults?.tree?.fs),
    requireMounted: (project) => content.disk.requireMounted(project),
  })
  closers.add(() => edits.stop())
  content.disk.skillsChanged.listen((project) => edits.enqueue(project))
  parts.previews.start()
  const code = await openRepositories({ ...parts, clock: parts.outgoing }, { home, config })
  closers.add(() => code.stop())
  const refresh = followForeignChanges(storage, people, { ...parts, disk: content.disk }, closers)
  const events = await openEvents(parts, refresh, closers)
  const conversations = await openConversations(parts, content, refresh, closers)
  const entries = new EntryFinder(parts.database, parts.search)
  closers.add(() => entries.close())
  const uploads = new UploadedFiles(parts)
  closers.add(() => uploads.stop())
  void uploads.start()
  return {
    ...servicesOf({ ...parts, entries, uploads }, content, conversations),
    code,
    events,
    skills,
    stores: { ...storesOf(people), comments: conversations.commentStore },
    maintenance: maintenanceOf(parts, content, events.live, refresh),
    close: () => closers.close(),
  }
}

const storesOf = ({ members, projects, invites, signinLinks }: People) => ({
  members,
  projects,
  invites,
  signinLinks,
})

const maintenanceOf = (
  parts: Parts,
  { disk, live }: ReturnType<typeof openContent>,
  liveEvents: LiveEvents,
  refresh: () => void,
): Workspace['maintenance'] => ({
  health: () => parts.health.problems(),
  reportError: (error) => parts.health.reportError(error),
  collectMetrics: () => collectMetrics({ ...parts, live, liveEvents, skipped: () => disk.skipped() }),
  scan: () => disk.scan(),
  ingestProgress: () => disk.progress,
  skippedFiles: () => disk.skipped(),
  refresh,
  startSending() {
    parts.notifications?.start()
    parts.push.start()
  },
})

async function openEvents(deps: Parts, refresh: () => void, closers: Closers) {
  const { database, members, sessions, changeTopics } = deps
  const renewCaller = (caller: Caller) => members.refreshCaller(caller) ?? sessions.refreshSession(caller)
  const live = new LiveEvents({ ...deps, refresh, renewCaller })
  database.onChange(() => live.deliver())
  const trimming = eventTrimming(deps)
  closers.add(() => trimming.stop())
  await trimming.start()
  closers.add(() => live.release())
  return { live, changeTopics, visits: new Visits({ ...deps, live }) }
}

function startHealth(
  { clock, database, health, home, tree }: Storage,
  sources: readonly { problems(): Problem[] }[],
  closers: Closers,
): void {
  for (const source of sources) health.addSource(() => source.problems())
  health.start({
    async probe() {
      tree.discard(tree.stage(Buffer.from('probe')).name)
      await clock.flush()
    },
    saveDatabase: async () =>
      holdsProjects(home) ? storeSnapshot(home, clock.now(), (to) => database.copyTo(to)) : null,
  })
  closers.add(() => health.stop())
}
