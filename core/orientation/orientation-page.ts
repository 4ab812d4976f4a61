import type { Caller } from '../access/member.ts'
import { hasScope, isAdmin } from '../access/permissions.ts'
import type { ClaimableAsk } from '../asks/ask-pages.ts'
import { type MentionDetails, mentionLine } from '../inbox/mentions-page.ts'
import {
  mentionsTreePath,
  ownKeyTreePath,
  projectsTreePath,
  projectTreePath,
  roomsTreePath,
} from '../paths.ts'
import type { RoomListItem } from '../rooms/types.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import {
  claimRequest,
  type RequestBuilder,
  requestsFor,
  roomRequests,
  shellSetup,
  workRequests,
} from './example-requests.ts'
import { administration, folderTable, goodToKnow } from './reference.ts'

interface ProjectRow {
  slug: string
  name: string
  postCount: number
  isArchived: boolean
}

export interface OrientationData {
  publicUrl: string
  workspaceName: string
  caller: Caller
  /** Those that the caller can work in; null if the key may not read them. */
  projects: readonly ProjectRow[] | null
  /** Those that the caller is in or can join; null if the key may not read them. */
  rooms: readonly RoomListItem[] | null
  /** Unread, newest first; null if the key may not read them. */
  mentions: readonly MentionDetails[] | null
  /** Claimable asks, the caller's first; null if the key may not read them. */
  asks: readonly ClaimableAsk[] | null
}

const beforeRequests =
  'The commands on this page are for a shell with your key in the variable `WORKROOM_KEY`, in which these two lines were ' +
  'run first. Where each command has a shell of its own, put them before it.'

const newestMentions = 5
const maxRooms = 20

/**
 * `/v1/fs`, for an agent that knows only this page. Every command works when it is pasted after the first.
 */
export function orientationPage(data: OrientationData): string {
  const { asks, caller, mentions, projects, publicUrl, rooms, workspaceName } = data
  const requests = requestsFor(caller)
  const name = escapeMarkdown(workspaceName)
  // Most example requests would be refused in an archived project.
  const example = projects?.find(({ isArchived }) => !isArchived)?.slug
  const sections = [
    `# ${name}\n\n${identity(caller, name)}\n\n${beforeRequests}\n\n${shellSetup(publicUrl)}`,
    projects && `## Your projects\n\n${projectTable(projects)}`,
    mentions && `## Unread mentions\n\n${mentionList(mentions)}`,
    asks && `## Open asks that can be claimed\n\n${askList(requests, asks)}`,
    `## Next requests\n\n${workRequests(requests, example)}`,
    rooms && `## Your rooms\n\n${roomTable(rooms)}\n\n${roomRequests(requests, rooms)}`,
    `## The folders of a project\n\n${folderTable}`,
    `## Good to know\n\n${goodToKnow}`,
    isAdmin(caller.member) && hasScope(caller, 'projects:read') && `## Administration\n\n${administration}`,
  ]
  return `${sections.filter((section) => typeof section === 'string').join('\n\n')}\n`
}

function identity({ member }: Caller, workspaceName: string): string {
  const kind = member.type === 'agent' ? 'an agent' : 'a person'
  return (
    `You are **${escapeMarkdown(member.name)}** (\`${member.id}\`), ${kind} with the role ${member.role} in the workspace ` +
    `${workspaceName}. This is its file tree: folders answer JSON, files answer markdown. ` +
    `\`GET ${ownKeyTreePath}\` says what your key allows.`
  )
}

function projectTable(projects: readonly ProjectRow[]): string {
  if (projects.length === 0) {
    return 'You are not in any project yet. Ask an owner or admin to add you to one, or make one: see below.'
  }
  const rows = projects.map(
    ({ slug, name, postCount, isArchived }) =>
      `| ${escapeMarkdown(name)}${isArchived ? ' (archived)' : ''} | \`${slug}\` | \`${projectTreePath({ slug })}\` | ${postCount} |`,
  )
  const table = ['| Project | Slug | Path | Posts |', '| --- | --- | --- | --- |', ...rows].join('\n')
  return `${table}\n\n\`GET ${projectsTreePath}\` answers the same as JSON.`
}

function roomTable(rooms: readonly RoomListItem[]): string {
  if (rooms.length === 0) return 'There is no room that you are in or can join.'
  const shown = rooms.toSorted((a, b) => Number(b.joined) - Number(a.joined)).slice(0, maxRooms)
  const rows = shown.map(
    ({ name, joined, path }) => `| ${escapeMarkdown(name)} | ${joined ? 'yes' : 'no'} | \`${path}\` |`,
  )
  const table = ['| Room | Joined | Transcript |', '| --- | --- | --- |', ...rows].join('\n')
  const left = rooms.length - shown.length
  return `${table}\n\n${left === 0 ? '' : `And ${left} more. `}\`GET ${roomsTreePath}\` answers all of them as JSON.`
}

function mentionList(mentions: readonly MentionDetails[]): string {
  if (mentions.length === 0) return 'None.'
  const newest = mentions.slice(0, newestMentions).map(mentionLine).join('\n')
  const which = mentions.length > newestMentions ? `The newest ${newestMentions}` : 'Newest first'
  return `${mentions.length} in all, see \`${mentionsTreePath}\`. ${which}:\n\n${newest}`
}

function askList(requests: RequestBuilder, asks: readonly ClaimableAsk[]): string {
  const [first] = asks
  if (!first) return 'None.'
  const lines = asks.map(
    ({ id, title, project, askedBy, isForCaller, assignees }) =>
      `- *${escapeMarkdown(title)}* in \`${project}\` · asked by ${escapeMarkdown(askedBy)} · ` +
      `${assigneeText(isForCaller, assignees)} · \`${id}\``,
  )
  const list = `Assigned to you first, then unassigned:\n\n${lines.join('\n')}`
  const claim = claimRequest(requests, first.id)
  return claim === '' ? list : `${list}\n\n${claim}`
}

function assigneeText(isForCaller: boolean, assignees: readonly string[]): string {
  if (isForCaller) return 'for **you**'
  return assignees.length === 0 ? 'unassigned' : `for ${assignees.map(escapeMarkdown).join(', ')}`
}
