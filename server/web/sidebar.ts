import { isAdmin } from '../../core/access/permissions.ts'
import { projectPagePath } from '../../core/paths.ts'
import type { SidebarRoom } from '../../core/rooms/types.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { csrfField } from './csrf-field.ts'
import { type Html, html } from './html.ts'

/** @param at the path of the page, which is marked as current */
export function sidebar(
  workspace: Pick<Workspace, 'directory' | 'inbox' | 'rooms'>,
  session: OpenSession,
  at: string,
): Html {
  const { caller } = session
  const {
    rooms: { rooms },
    directory: { projects },
    inbox: { homeFeed },
  } = workspace
  const here = (path: string) =>
    (path === '/' ? at === '/' : at === path || at.startsWith(`${path}/`)) && html` aria-current="page"`
  const entry = (path: string, name: Html | string, extra?: Html | false) =>
    html`<li><a href="${path}"${here(path)}>${name}${extra}</a></li>
`
  const notices = homeFeed.noticeCounts(caller)
  const mentions = homeFeed.mentionCount(caller)
  const concerning = Math.min(mentions + notices.all, maxUnreadCounted)
  const joined = rooms.overview(caller).joined.filter(({ involvement }) => involvement !== 'invisible')
  const direct = joined.filter(({ type }) => type === 'direct')
  return html`<nav id="navigation" popover aria-label="Workspace" data-live \
data-unread="${mentions + notices.all - notices.direct + unreadInDirect(direct)}">
<ul>
${entry('/', 'Home')}${entry('/inbox', html`<span>Inbox</span>`, countOf(0, concerning, notices.all > 0 ? 'unread' : undefined))}
</ul>
${sidebarRooms(joined, here)}<h2>Projects <a href="/projects">All</a></h2>
<ul>
${projects
  .readableBy(caller.member)
  .filter(({ archivedMs }) => archivedMs === null)
  .map(({ slug, name }) => entry(projectPagePath({ slug }), html`<bdi>${name}</bdi>`))}</ul>
<h2>Workspace</h2>
<ul>
${entry('/members', 'Members')}${isAdmin(caller.member) && entry('/usage', 'Usage')}${entry('/account', 'Settings')}${entry(
  '/help',
  'Help',
)}
<li><form method="post" action="/signout">${csrfField(session)}<button class="quiet">Sign out</button></form></li>
</ul>
</nav>`
}

/** Unread direct messages without mentions, which are counted in the inbox. */
const unreadInDirect = (direct: readonly SidebarRoom[]): number =>
  direct
    .filter(({ involvement }) => involvement === 'everything')
    .reduce((sum, { unread, mentions }) => sum + Math.max(unread - mentions, 0), 0)

/** Beyond this, a field filters rooms by name. */
const maxUnfiltered = 12

/** Favourites, the reader's sections by name, then the others, each with unread rooms first. */
function sidebarRooms(rooms: readonly SidebarRoom[], current: (path: string) => Html | false): Html {
  const favourites = rooms.filter(({ favourite }) => favourite)
  const rest = rooms.filter(({ favourite }) => !favourite)
  const names = new Set(rest.flatMap(({ section }) => section ?? []))
  const others = rest.filter(({ section }) => section === null)
  const [direct, shared] = [others.filter(isDirect), others.filter((room) => !isDirect(room))]
  const group = (heading: Html, members: readonly SidebarRoom[]) =>
    html`<h2>${heading}</h2>
<ul data-rooms>
${unreadFirst(members).map((room) => roomEntry(room, current(room.path)))}</ul>
`
  return html`${rooms.length > maxUnfiltered && filterField}${favourites.length > 0 && group(html`Favourites`, favourites)}${[
    ...names,
  ]
    .sort((one, other) => one.localeCompare(other, 'en'))
    .map((name) =>
      group(
        html`<bdi>${name}</bdi>`,
        rest.filter(({ section }) => section === name),
      ),
    )}${group(html`Rooms <a href="/rooms">All</a>`, shared)}${
    direct.length > 0 && group(html`Direct`, direct)
  }`
}

/** Shown by `server/client/sidebar.ts`. */
const filterField = html`<p class="room-filter"><label class="unseen" for="room-filter">Filter rooms</label><input \
id="room-filter" type="search" placeholder="Filter rooms" autocomplete="off" spellcheck="false"></p>
`

function roomEntry(room: SidebarRoom, current: Html | false): Html {
  const unread = unreadIn(room)
  return html`<li id="nav-${room.id}"><a href="${room.path}"${current}${
    unread > 0 && html` class="unread"`
  }><bdi>${room.name}</bdi>${countOf(unread, room.mentions)}</a></li>
`
}

const isDirect = ({ type }: SidebarRoom): boolean => type === 'direct'

/** Replies in the reader's threads count in every room that is not muted. */
const unreadIn = ({ involvement, unread, replies }: SidebarRoom): number =>
  involvement === 'everything' ? unread + replies : replies

/** Rooms are otherwise in the order of their creation. */
function unreadFirst(rooms: readonly SidebarRoom[]): SidebarRoom[] {
  const isRead = (room: SidebarRoom) => Number(unreadIn(room) === 0 && room.mentions === 0)
  return rooms.toSorted((one, other) => isRead(one) - isRead(other))
}

/** More are shown as this many and a plus sign. */
const maxUnreadCounted = 100

/** Mentions replace the count of unread messages, since they address the reader. */
function countOf(
  unread: number,
  mentions: number,
  words = mentions > 0 ? 'unread mentions' : 'unread',
): Html | false {
  if (unread === 0 && mentions === 0) return false
  const count = mentions || unread
  const shown = count >= maxUnreadCounted ? `${maxUnreadCounted}+` : count
  return html`<span class="count${mentions > 0 ? '' : ' soft'}">${shown}<span class="unseen"> ${words}</span></span>`
}
