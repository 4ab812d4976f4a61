import { StagedFolders } from '../../data/tree/staged-folders.ts'
import { Downloads } from '../attachments/downloads.ts'
import { explainOpenError } from '../home/home-database.ts'
import { InboxRecords } from '../inbox/inbox-records.ts'
import { LinkResolver } from '../links/link-resolver.ts'
import { Avatars } from '../members/avatars.ts'
import { Invites } from '../members/invites.ts'
import { Members } from '../members/members.ts'
import { HomeFeed } from '../news/home-feed.ts'
import { PushDevices } from '../notifications/push-devices.ts'
import { Plan } from '../plan/plan.ts'
import { Posts } from '../posts/posts.ts'
import { createProject } from '../projects/creation.ts'
import { ProjectLinks } from '../projects/links.ts'
import { Projects } from '../projects/projects.ts'
import { openRepositories } from '../repositories/index.ts'
import { InvitedPlaces } from '../room-members/invited-places.ts'
import { EntryFinder } from '../search/entry-finder.ts'
import { NameSearch } from '../search/name-search.ts'
import { Search } from '../search/search.ts'
import { SimilarNames } from '../search/similar-names.ts'
import { UploadedFiles } from '../search/uploaded-files.ts'
import { Passkeys } from '../sessions/passkeys.ts'
import { openSkills } from '../skills/index.ts'
import { Usage } from '../usage/usage.ts'
import { Closers } from './closers.ts'
import { openContent } from './content.ts'
import { openConversations } from './conversations.ts'
import { openEvents } from './events.ts'
import { followForeignChanges } from './foreign-changes.ts'
import { startHealth } from './health.ts'
import { collectMetrics } from './metrics.ts'
import { openParts, type Parts } from './parts.ts'
import { openPeople, type People } from './people.ts'
import { openStorage } from './storage.ts'
import type { OpenWorkspace, Workspace, WorkspaceOptions } from './types.ts'

export type { OpenWorkspace, Workspace, WorkspaceOptions } from './types.ts'

/**
 * Exclusive. Waits for recovery, and, unless there are many, for changes made while the server was down.
 * @throws WorkspaceError `not_found` if there is none; HomeLockedError if it is in use
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<OpenWorkspace> {
  const closers = new Closers()
  try {
    return await open(options, closers)
  } catch (error) {
    await closers.close()
    throw explainOpenError(options.home, error, { isLocked: true })
  }
}

async function open(options: WorkspaceOptions, closers: Closers): Promise<OpenWorkspace> {
  const { home, config, faults } = options
  const storage = openStorage(options, closers)
  const people = await openPeople(storage, closers)
  const parts = await openParts(options, storage, people, closers)
  const content = openContent(parts, config.limits)
  closers.add(() => content.stop())
  content.mount.start()
  await storage.clock.start()
  startHealth(storage, [content.disk, content.live], closers)
  // Incomplete pages are rendered again.
  content.disk.caughtUp.listen(() => people.touches.markChanged('workspace'))
  await content.start()
  const skills = await openSkills({
    ...parts,
    versions: parts.skillVersions,
    folders: new StagedFolders(storage.tree.home, faults?.tree?.fs),
    requireThere: (project) => content.disk.requireMounted(project),
  })
  parts.previews.start()
  const code = await openRepositories({ ...parts, clock: parts.outgoing }, { home, config })
  closers.add(() => code.stop())
  const refresh = followForeignChanges(storage, people, { ...parts, disk: content.disk }, closers)
  const events = await openEvents(parts, refresh, closers)
  const conversations = await openConversations(parts, content, refresh, closers)
  const entries = new EntryFinder(parts)
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
    maintenance: {
      health: () => storage.health.problems(),
      noteError: (error) => storage.health.noteError(error),
      collectMetrics: () =>
        collectMetrics({
          ...parts,
          live: content.live,
          liveEvents: events.live,
          skipped: () => content.disk.skipped(),
        }),
      scan: () => content.disk.scan(),
      ingestProgress: () => content.disk.progress,
      skippedFiles: () => content.disk.skipped(),
      refresh,
      async setPublicUrl(url) {
        const stored = parts.address.set(url)
        parts.notifications?.start()
        parts.push.start()
        await stored
      },
    },
    close: () => closers.close(),
  }
}

/** Without permission checks. */
const storesOf = ({ members, projects, invites, signinLinks }: People) => ({
  members,
  projects,
  invites,
  signinLinks,
})

type Content = ReturnType<typeof openContent>
type Conversations = Awaited<ReturnType<typeof openConversations>>

function servicesOf(
  deps: Parts & { entries: EntryFinder; uploads: UploadedFiles },
  content: Content,
  { reading, asks, ...conversations }: Conversations,
): Omit<Workspace, 'code' | 'events' | 'skills' | 'maintenance' | 'close'> {
  const { clock, identity, random, sessions, signinLinks, signinMail, unreadMentions } = deps
  const { attachments, disk, documents, libraryFiles } = content
  const isThere: typeof disk.isMounted = (record) => disk.isMounted(record)
  const { comments, rooms, webhooks } = conversations
  const references = new LinkResolver(deps)
  return {
    identity,
    clock,
    random,
    directory: { members: deps.members, projects: deps.projects },
    people: {
      members: new Members(deps),
      invites: new Invites({ ...deps, places: new InvitedPlaces(deps) }),
      avatars: new Avatars(deps),
      presence: deps.presence,
      usage: new Usage(deps),
    },
    signin: { sessions, links: signinLinks, mail: signinMail, passkeys: new Passkeys(deps) },
    projects: projectsOf(deps, content),
    documents,
    live: content.live,
    links: content.links,
    rendering: { ...content.rendering, previews: deps.previews },
    posts: new Posts({ ...deps, postRecords: content.postRecords, writes: documents.writes }),
    comments,
    files: {
      attachments,
      library: libraryFiles,
      downloads: new Downloads({
        ...deps,
        links: deps.signedLinks,
        attachments,
        files: libraryFiles,
        roomFiles: rooms.attachments,
      }),
      trash: content.trash,
      mount: content.mount,
    },
    rooms,
    asks: { ...asks, plan: new Plan({ ...deps, lists: documents.lists, askPages: asks.pages }) },
    search: {
      texts: new Search({ ...deps, references, isThere, ingestProgress: () => disk.progress }),
      names: new NameSearch({
        ...deps,
        reading,
        references,
        similarNames: new SimilarNames({ ...deps, isThere }),
      }),
    },
    inbox: {
      mentions: unreadMentions,
      records: new InboxRecords(deps),
      settings: deps.settings,
      devices: new PushDevices(deps),
      homeFeed: new HomeFeed({ ...deps, reading, references, isThere }),
      unsubscribing: deps.unsubscribing,
    },
    webhooks,
  }
}

function projectsOf(
  deps: Parts,
  { deletedProjects, disk, documents, publishDue }: Content,
): Workspace['projects'] {
  const { projects, tree } = deps
  const create: Workspace['projects']['create'] = async (caller, request) => {
    const project = await createProject({ projects, tree }, { ...request, lead: caller.member })
    await disk.scan()
    return project
  }
  const checked = new Projects({
    ...deps,
    create,
    postCount: (projectId) => documents.lists.postCount(projectId),
    reopened: () => publishDue(),
  })
  return { projects: checked, links: new ProjectLinks(deps), deleted: deletedProjects, create }
}
