import type { Caller } from '../access/member.ts'
import type { ClaimableAsk } from '../asks/ask-pages.ts'
import type { CardItem } from '../home-feed/types.ts'
import type { MentionDetails } from '../inbox/mentions-page.ts'
import {
  asksPath,
  inboxPath,
  mentionsTreePath,
  ownKeyTreePath,
  projectsTreePath,
  projectTreePath,
  roomsTreePath,
  treeRoot,
} from '../paths.ts'
import type { RoomListItem } from '../rooms/types.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import { callOf, followCall, listCall, nextCalls, readCall } from './example-calls.ts'
import { nextRequests, requestsFor, shellSetup } from './example-requests.ts'
import { helpTopicsFor, helpTreePath } from './help-pages.ts'
import { type LikelyStep, likelySteps } from './likely-steps.ts'
import type { ChangesSince } from './visits.ts'

interface ProjectRow {
  slug: string
  name: string
  postCount: number
  isArchived: boolean
}

export interface OrientationRoom extends RoomListItem {
  /** 100 means 100 or more. */
  unread: number
}

export interface OrientationData {
  publicUrl: string
  /** Whether the page shows requests or calls of tools. */
  instructions: 'requests' | 'tools'
  workspaceName: string
  caller: Caller
  /** This and the lists below are null if the key may not read them. */
  projects: readonly ProjectRow[] | null
  /** Rooms that the caller is in or can join. */
  rooms: readonly OrientationRoom[] | null
  /** Newest first. */
  mentions: readonly MentionDetails[] | null
  /** Unread notices that are in no other list. 100 means 100 or more. */
  noticeCount: number
  /** The caller's first. */
  asks: readonly ClaimableAsk[] | null
  cards: readonly CardItem[] | null
  /** Null on the first visit. */
  changes: ChangesSince | null
}

/** An agent pays for the page each time that it wakes. */
const maxPageBytes = 3000
/** The longest lists that fit are shown. */
const listLengths = [20, 10, 5, 3, 1]

const maxMentions = 5
const maxNameLength = 60

/** `/v1/fs`, for an agent that knows only this page: what waits for it, and where the rest is. */
export function orientationPage(data: OrientationData): string {
  const pages = listLengths.map((length) => () => pageWith(data, length))
  const fitting = pages.find((page) => Buffer.byteLength(page()) < maxPageBytes)
  return fitting?.() ?? pageWith(data, 0)
}

function pageWith(data: OrientationData, length: number): string {
  const { asks, caller, cards, changes, mentions, noticeCount, projects, rooms, workspaceName } = data
  const wording = data.instructions === 'tools' ? toolWording : requestWording(data.publicUrl, caller)
  const sections = [
    `# ${formatName(workspaceName)}\n\n${identity(caller, wording)}`,
    mentions && `## Unread mentions\n\n${mentionList(mentions, Math.min(length, maxMentions))}`,
    noticeCount > 0 && noticeLine(noticeCount, wording),
    asks && `## Open asks that can be claimed\n\n${askList(asks, length, wording)}`,
    cards && cards.length > 0 && `## Cards assigned to you\n\n${cardList(cards, length)}`,
    rooms && `## Your rooms\n\n${roomList(rooms, length, wording)}`,
    changes && `## Since ${sinceText(changes)}\n\n${changeList(changes, length, wording)}`,
    projects && `## Your projects\n\n${projectTable(projects, length, wording)}`,
    wording.next(likelySteps(caller, data)),
    wording.help,
  ]
  return `${sections.filter((section) => typeof section === 'string').join('\n\n')}\n`
}

function identity({ member }: Caller, { read, responseFormat }: Wording): string {
  const kind = member.type === 'agent' ? 'an agent' : 'a person'
  return (
    `You are **${formatName(member.name)}** (\`${member.id}\`), ${kind} with the role ${member.role}; ` +
    `${read(ownKeyTreePath)} says what your key allows. ${responseFormat}`
  )
}

function noticeLine(count: number, { inbox }: Wording): string {
  const notices = count === 1 ? '1 more notice' : `${countOf(count)} more notices`
  return `${notices}, such as replies and comments: ${inbox}`
}

function mentionList(mentions: readonly MentionDetails[], length: number): string {
  if (mentions.length === 0) return 'None.'
  const lines = mentions.slice(0, length).map(({ author, id, path, preview, title }) => {
    const previewText = preview === null ? '' : ` ${formatName(preview)} ·`
    return `- **${formatName(author)}** in *${formatName(title)}*:${previewText} \`${path}\` · \`${id}\``
  })
  const label = mentions.length > lines.length ? `The newest ${lines.length}` : 'Newest first'
  return `${mentions.length} in all, see \`${mentionsTreePath}\`. ${label}:\n\n${lines.join('\n')}`
}

function askList(asks: readonly ClaimableAsk[], length: number, wording: Wording): string {
  if (asks.length === 0) return 'None.'
  const lines = asks
    .slice(0, length)
    .map(
      ({ id, title, project, askedBy, isForCaller, assignees }) =>
        `- *${formatName(title)}* in \`${project}\` · asked by ${formatName(askedBy)} · ` +
        `${assigneeText(isForCaller, assignees)} · \`${id}\``,
    )
  const more = asks.length > lines.length ? ` ${wording.asks} lists all.` : ''
  return `Assigned to you first, then unassigned.${more}\n\n${lines.join('\n')}`
}

function assigneeText(isForCaller: boolean, assignees: readonly string[]): string {
  if (isForCaller) return 'for **you**'
  return assignees.length === 0 ? 'unassigned' : `for ${formatName(assignees.join(', '))}`
}

function cardList(cards: readonly CardItem[], length: number): string {
  const lines = cards
    .slice(0, length)
    .map(({ number, title, path }) => `- ${number} *${formatName(title)}*: \`${path}\``)
  return withTotal(cards.length, lines, 'The most recently active').join('\n')
}

function roomList(rooms: readonly OrientationRoom[], length: number, { list }: Wording): string {
  const unread = rooms.filter((room) => room.unread > 0).sort((one, other) => other.unread - one.unread)
  const lines = unread
    .slice(0, length)
    .map(({ name, path, unread }) => `- ${formatName(name)}: ${countOf(unread)} unread, \`${path}\``)
  const all = `${list(roomsTreePath)} lists those that you are in or can join.`
  if (unread.length === 0) return `Nothing is unread. ${all}`
  return [...withTotal(unread.length, lines, 'Most unread first'), '', all].join('\n')
}

const sinceText = ({ visitMs }: ChangesSince): string =>
  visitMs === null ? 'then' : `your last visit, ${new Date(visitMs).toISOString()}`

function changeList(
  { asks, cursor, documents, isCut, messages }: ChangesSince,
  length: number,
  { events }: Wording,
): string {
  const counts = [
    ...countPhrase(documents.length, 'document'),
    ...countPhrase(messages, 'message'),
    ...countPhrase(asks, 'ask'),
  ]
  if (counts.length === 0) return 'Nothing has changed.'
  const lines = documents
    .slice(0, length)
    .map(
      ({ author, isDeleted, path, title }) =>
        `- *${formatName(title)}* ${isDeleted ? 'deleted by' : 'by'} ${formatName(author)}: \`${path}\``,
    )
  return [`${isCut ? 'More than ' : ''}${counts.join(', ')}: ${events(cursor)}`, '', ...lines]
    .join('\n')
    .trimEnd()
}

function projectTable(projects: readonly ProjectRow[], length: number, { list, noProject }: Wording): string {
  if (projects.length === 0) return `You are not in any project yet. ${noProject}`
  const rows = projects
    .slice(0, length)
    .map(
      ({ slug, name, postCount, isArchived }) =>
        `| ${formatName(name)}${isArchived ? ' (archived)' : ''} | \`${slug}\` | \`${projectTreePath({ slug })}\` | ${postCount} |`,
    )
  if (rows.length === 0) return `${projects.length}: ${list(projectsTreePath)} lists them.`
  const table = ['| Project | Slug | Path | Posts |', '| --- | --- | --- | --- |', ...rows].join('\n')
  const omittedCount = projects.length - rows.length
  return `${table}\n\n${omittedCount === 0 ? '' : `And ${omittedCount} more. `}${list(projectsTreePath)} lists all.`
}

/** @param label says which of them are shown, as the beginning of a sentence */
function withTotal(count: number, lines: readonly string[], label: string): string[] {
  return count > lines.length ? [`${count} in all. ${label}:`, '', ...lines] : [...lines]
}

const countPhrase = (count: number, noun: string): string[] =>
  count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]

const countOf = (count: number): string => (count >= 100 ? '100 or more' : String(count))

function formatName(text: string): string {
  const characters = [...text]
  const short = characters.length > maxNameLength ? `${characters.slice(0, maxNameLength).join('')}…` : text
  return escapeMarkdown(short)
}

/** How pages word what their reader can do: as requests, or as calls of tools. */
interface Wording {
  list(treePath: string): string
  read(treePath: string): string
  events(since: string): string
  asks: string
  inbox: string
  /** The form of responses. */
  responseFormat: string
  /** Shown to a caller in no project. */
  noProject: string
  next(steps: readonly LikelyStep[]): string
  help: string
}

const get = (path: string): string => `\`GET ${path}\``

const requestWording = (publicUrl: string, caller: Caller): Wording => ({
  list: get,
  read: get,
  events: (since) => `GET /v1/events?since=${since}&wait=0`,
  asks: get(asksPath),
  inbox: get(inboxPath),
  responseFormat: 'Here folders answer JSON and files markdown.',
  noProject: 'Ask an owner or admin to add you to one, or create one: see below.',
  next: (steps) =>
    `## Next requests\n\n${shellSetup(publicUrl)}\n\n${nextRequests(requestsFor(caller), steps)}`,
  help: `## Help\n\n${helpList(caller)}`,
})

function helpList(caller: Caller): string {
  const lines = helpTopicsFor(caller).map(({ topic, about }) => `- \`${helpTreePath(topic)}\`: ${about}`)
  return `The rest, which ${get(`${treeRoot}/help`)} lists as JSON:\n\n${lines.join('\n')}`
}

const toolWording: Wording = {
  list: listCall,
  read: readCall,
  events: followCall,
  asks: callOf('asks', { action: 'list' }),
  inbox: callOf('inbox'),
  responseFormat: 'Paths are for `list`, `read`, `write` and `edit`.',
  noProject: 'Ask an owner or admin to add you to one.',
  next: (steps) => `## Next calls\n\n${nextCalls(steps)}`,
  help:
    `## Help\n\n${readCall(helpTreePath('requests'))} has a call for each thing that you can do; ` +
    `${callOf('list', { path: 'help' })} lists the other pages.`,
}
