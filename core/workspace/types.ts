import type { DatabaseOptions } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { TreeOptions } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { AskPages } from '../asks/ask-pages.ts'
import type { Asks } from '../asks/asks.ts'
import type { Attachments } from '../attachments/attachments.ts'
import type { Downloads } from '../attachments/downloads.ts'
import type { ChangeTopics } from '../change-topics/change-topics.ts'
import type { CommentStore } from '../comments/comment-store.ts'
import type { Comments } from '../comments/comments.ts'
import type { Config } from '../config.ts'
import type { IngestProgress } from '../documents/disk/ingest-progress.ts'
import type { Documents } from '../documents/index.ts'
import type { LiveEvents } from '../events/live-events.ts'
import type { LibraryFiles } from '../files/library-files.ts'
import type { Problem } from '../health/types.ts'
import type { HomeFeed } from '../home-feed/home-feed.ts'
import type { RandomBytes } from '../ids.ts'
import type { InboxRecords } from '../inbox/inbox-records.ts'
import type { UnreadMentions } from '../inbox/unread-mentions.ts'
import type { Links } from '../links/links.ts'
import type { Refs } from '../links/refs.ts'
import type { LiveDocuments } from '../live/live-documents.ts'
import type { MarkdownService } from '../markdown/index.ts'
import type { Avatars } from '../members/avatars.ts'
import type { InviteStore } from '../members/invite-store.ts'
import type { Invites } from '../members/invites.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Members } from '../members/members.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import type { Mount } from '../mount/mount.ts'
import type { NotificationSettings } from '../notifications/notification-settings.ts'
import type { PushDevices } from '../notifications/push-devices.ts'
import type { UnsubscribeLinks } from '../notifications/unsubscribe-links.ts'
import type { Visits } from '../orientation/visits.ts'
import type { Plan } from '../plan/plan.ts'
import type { Posts } from '../posts/posts.ts'
import type { Previews } from '../previews/previews.ts'
import type { ProjectLinks } from '../projects/links.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Projects } from '../projects/projects.ts'
import type { Pulls } from '../pulls/pulls.ts'
import type { DocumentParts } from '../rendering/document-parts.ts'
import type { DocumentRenderer } from '../rendering/document-renderer.ts'
import type { ExternalMarkdown } from '../rendering/external-markdown.ts'
import type { MentionsByName } from '../rendering/mentions-by-name.ts'
import type { MessageRenderer } from '../rendering/message-renderer.ts'
import type { Preview } from '../rendering/preview.ts'
import type { Repositories } from '../repositories/index.ts'
import type { RoomAttachments } from '../room-attachments/room-attachments.ts'
import type { Messages } from '../rooms/messages.ts'
import type { Pins } from '../rooms/pins.ts'
import type { Reactions } from '../rooms/reactions.ts'
import type { RoomHistory } from '../rooms/room-history.ts'
import type { RoomManagement } from '../rooms/room-management.ts'
import type { Rooms } from '../rooms/rooms.ts'
import type { SidebarPlaces } from '../rooms/sidebar-places.ts'
import type { TypingSignals } from '../rooms/typing.ts'
import type { NameSearch } from '../search/name-search.ts'
import type { Search } from '../search/search.ts'
import type { Passkeys } from '../sessions/passkeys.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SigninLinks } from '../sessions/signin-links.ts'
import type { SigninMail } from '../sessions/signin-mail.ts'
import type { PublishedSkills, Skills } from '../skills/index.ts'
import type { Clock } from '../time/clock.ts'
import type { DeletedProjects } from '../trash/deleted-projects.ts'
import type { ProjectTrash } from '../trash/project-trash.ts'
import type { Usage } from '../usage/usage.ts'
import type { Wakes, Webhooks } from '../webhooks/index.ts'
import type { Metric } from './metrics.ts'
import type { WorkspaceName } from './workspace-name.ts'

/** The services of the server. Each checks its caller, unless noted otherwise. */
export interface Workspace {
  readonly identity: Pick<WorkspaceName, 'id' | 'name' | 'slug' | 'view' | 'rename'>
  readonly clock: Clock
  readonly random: RandomBytes
  /** Read access by id or name, without permission checks. */
  readonly directory: { readonly members: MemberDirectory; readonly projects: ProjectDirectory }
  readonly people: {
    readonly members: Members
    readonly invites: Invites
    readonly avatars: Pick<Avatars, 'pictureOf'>
    readonly presence: OnlinePresence
    readonly usage: Usage
  }
  /** `mail`: null if no mail is sent. */
  readonly signin: {
    readonly sessions: Sessions
    readonly links: Pick<SigninLinks, 'memberOf'>
    readonly mail: SigninMail | null
    readonly passkeys: Passkeys
  }
  readonly projects: {
    readonly projects: Projects
    readonly links: ProjectLinks
    readonly deleted: Pick<DeletedProjects, 'delete' | 'list' | 'restore'>
    /** The caller becomes its lead. @throws WorkspaceError */
    create(caller: Caller, request: { name: string; slug?: string }): Promise<Project>
  }
  readonly documents: Documents
  readonly live: Pick<LiveDocuments, 'join' | 'isLive' | 'counts'>
  readonly links: {
    readonly documents: Pick<Links, 'linksIn' | 'backlinks'>
    readonly refs: Pick<Refs, 'find' | 'findInAllProjects'>
  }
  readonly rendering: {
    readonly documents: Pick<DocumentRenderer, 'at' | 'home'>
    readonly parts: Pick<DocumentParts, 'at' | 'partWith'>
    readonly preview: Pick<Preview, 'render'>
    readonly mentions: MentionsByName
    readonly texts: Pick<MessageRenderer, 'html' | 'links'>
    readonly foreignFiles: Pick<ExternalMarkdown, 'html'>
    readonly previews: Pick<Previews, 'previewsFor'>
  }
  readonly posts: Posts
  /** `documents`: on documents and cards. */
  readonly comments: { readonly posts: Comments; readonly documents: Comments }
  readonly files: {
    readonly attachments: Attachments
    readonly library: LibraryFiles
    readonly downloads: Downloads
    readonly trash: Pick<ProjectTrash, 'list' | 'restore'>
    readonly mount: Mount
  }
  readonly code: { readonly repositories: Repositories; readonly pulls: Pulls }
  readonly rooms: {
    readonly rooms: Rooms
    readonly management: RoomManagement
    readonly places: SidebarPlaces
    readonly messages: Messages
    readonly history: RoomHistory
    readonly pins: Pins
    readonly reactions: Reactions
    readonly attachments: RoomAttachments
    readonly typing: TypingSignals
  }
  readonly asks: { readonly asks: Asks; readonly pages: AskPages; readonly plan: Plan }
  readonly events: {
    readonly live: LiveEvents
    readonly changeTopics: ChangeTopics
    readonly visits: Pick<Visits, 'changesFor'>
  }
  readonly search: { readonly texts: Search; readonly names: NameSearch }
  readonly inbox: {
    readonly mentions: UnreadMentions
    readonly records: InboxRecords
    readonly settings: Pick<NotificationSettings, 'get' | 'change'>
    readonly devices: PushDevices
    readonly homeFeed: HomeFeed
    readonly unsubscribeLinks: UnsubscribeLinks
  }
  readonly webhooks: { readonly webhooks: Webhooks; readonly wakes: Pick<Wakes, 'take' | 'answer'> }
  readonly skills: { readonly skills: Skills; readonly publishedSkills: PublishedSkills }
  readonly maintenance: Maintenance
  /** Ends timers, watcher and database; what was answered is durable. */
  close(): Promise<void>
}

type MemberDirectory = Pick<
  MemberStore,
  'authenticate' | 'find' | 'resolve' | 'all' | 'active' | 'names' | 'firstOwner'
>

type ProjectDirectory = Pick<
  ProjectStore,
  | 'all'
  | 'find'
  | 'resolve'
  | 'renamedFrom'
  | 'require'
  | 'requireListed'
  | 'roleOf'
  | 'readableBy'
  | 'listableBy'
  | 'members'
>

interface Maintenance {
  /** In words, with remedies. Empty if healthy. */
  health(): Problem[]
  /** Checks the database if it failed a request. */
  reportError(error: unknown): void
  collectMetrics(): Metric[]
  /** Resolves when all changes on the disk have been ingested. */
  scan(): Promise<void>
  /** Null once changes made while the server was down are ingested; lists may be incomplete before. */
  ingestProgress(): IngestProgress | null
  skippedFiles(): { path: string; reason: string }[]
  /** Loads changes of other processes, in microseconds if there are none. */
  refresh(): void
  /** Mail and notifications, once the public URL is set. */
  startSending(): void
}

/** With stores, which check nobody: for tests, and uses without a server. */
export interface OpenWorkspace extends Workspace {
  readonly stores: {
    readonly members: MemberStore
    readonly projects: ProjectStore
    readonly invites: InviteStore
    readonly signinLinks: SigninLinks
    readonly comments: CommentStore
  }
}

export interface WorkspaceOptions {
  home: string
  config: Pick<Config, 'disk' | 'limits' | 'outbound' | 'repositories' | 'smtp' | 'timeZone'>
  clock?: Clock
  random?: RandomBytes
  onProblem?: (message: string, error?: unknown) => void
  /** How often the disk is scanned, in addition to the watcher's hints. Default 30,000 ms. */
  scanEveryMs?: number
  /** Whether webhooks and fetches are disabled, as for repairs. Default false. */
  isOffline?: boolean
  faults?: {
    diskNow?: () => number
    tree?: TreeOptions
    database?: DatabaseOptions
    markdown?: MarkdownService
    outbound?: Outbound
  }
}
