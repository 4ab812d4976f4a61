import { Downloads } from '../attachments/downloads.ts'
import { HomeFeed } from '../home-feed/home-feed.ts'
import { InboxRecords } from '../inbox/inbox-records.ts'
import { LinkResolver } from '../links/link-resolver.ts'
import { Avatars } from '../members/avatars.ts'
import { Invites } from '../members/invites.ts'
import { Members } from '../members/members.ts'
import { PushDevices } from '../notifications/push-devices.ts'
import { Plan } from '../plan/plan.ts'
import { Posts } from '../posts/posts.ts'
import { createProject } from '../projects/creation.ts'
import { ProjectLinks } from '../projects/links.ts'
import { Projects } from '../projects/projects.ts'
import { InvitedPlaces } from '../room-members/invited-places.ts'
import type { EntryFinder } from '../search/entry-finder.ts'
import { NameSearch } from '../search/name-search.ts'
import { Search } from '../search/search.ts'
import { SimilarNames } from '../search/similar-names.ts'
import type { UploadedFiles } from '../search/uploaded-files.ts'
import { Passkeys } from '../sessions/passkeys.ts'
import { Usage } from '../usage/usage.ts'
import type { openContent } from './content.ts'
import type { openConversations } from './conversations.ts'
import type { Parts } from './parts.ts'
import type { Workspace } from './types.ts'

type Content = ReturnType<typeof openContent>
type Conversations = Awaited<ReturnType<typeof openConversations>>

/** Each service checks its caller. */
export function servicesOf(
  deps: Parts & { entries: EntryFinder; uploads: UploadedFiles },
  content: Content,
  conversations: Conversations,
): Omit<Workspace, 'code' | 'events' | 'skills' | 'maintenance' | 'close'> {
  const { clock, identity, random } = deps
  const { documents } = content
  const { asks, comments, rooms, webhooks } = conversations
  return {
    identity,
    clock,
    random,
    directory: { members: deps.members, projects: deps.projects },
    people: peopleOf(deps),
    signin: {
      sessions: deps.sessions,
      links: deps.signinLinks,
      mail: deps.signinMail,
      passkeys: new Passkeys(deps),
    },
    projects: projectsOf(deps, content),
    documents,
    live: content.live,
    links: content.links,
    rendering: { ...content.rendering, previews: deps.previews },
    posts: new Posts({ ...deps, postRecords: content.postRecords, writes: documents.writes }),
    comments,
    files: filesOf(deps, content, conversations),
    rooms,
    asks: { ...asks, plan: new Plan({ ...deps, lists: documents.lists, askPages: asks.pages }) },
    ...inboxAndSearchOf(deps, content, conversations),
    webhooks,
  }
}

const peopleOf = (deps: Parts): Workspace['people'] => ({
  members: new Members(deps),
  invites: new Invites({ ...deps, places: new InvitedPlaces(deps) }),
  avatars: new Avatars(deps),
  presence: deps.presence,
  usage: new Usage(deps),
})

function filesOf(deps: Parts, content: Content, { rooms }: Conversations): Workspace['files'] {
  const { attachments, libraryFiles, mount, trash } = content
  const downloads = new Downloads({
    ...deps,
    links: deps.signedLinks,
    attachments,
    files: libraryFiles,
    roomFiles: rooms.attachments,
  })
  return { attachments, library: libraryFiles, downloads, trash, mount }
}

function inboxAndSearchOf(
  deps: Parts & { entries: EntryFinder; uploads: UploadedFiles },
  { disk }: Content,
  { readPositions }: Conversations,
): Pick<Workspace, 'inbox' | 'search'> {
  const isMounted: typeof disk.isMounted = (record) => disk.isMounted(record)
  const references = new LinkResolver(deps)
  return {
    search: {
      texts: new Search({ ...deps, references, isMounted, ingestProgress: () => disk.progress }),
      names: new NameSearch({
        ...deps,
        readPositions,
        references,
        similarNames: new SimilarNames({ ...deps, isMounted }),
      }),
    },
    inbox: {
      mentions: deps.unreadMentions,
      records: new InboxRecords(deps),
      settings: deps.settings,
      devices: new PushDevices(deps),
      homeFeed: new HomeFeed({ ...deps, readPositions, references, isMounted }),
      unsubscribeLinks: deps.unsubscribeLinks,
    },
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
  const projectService = new Projects({
    ...deps,
    create,
    postCount: (projectId) => documents.lists.postCount(projectId),
    onReopened: () => publishDue(),
  })
  return { projects: projectService, links: new ProjectLinks(deps), deleted: deletedProjects, create }
}
