import type { SidebarRoom } from '../../core/rooms/types.ts'
import { type Html, html } from './html.ts'

/** Beyond this, a field filters rooms by name. */
const maxUnfiltered = 12

/** Favourites, the reader's sections by name, then the others, each with unread rooms first. */
export function sidebarRooms(rooms: readonly SidebarRoom[], current: (path: string) => Html | false): Html {
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
export const maxUnreadCounted = 100

/** Mentions replace the count of unread messages, since they address the reader. */
export function countOf(
  unread: number,
  mentions: number,
  words = mentions > 0 ? 'unread mentions' : 'unread',
): Html | false {
  if (unread === 0 && mentions === 0) return false
  const count = mentions || unread
  const shown = count >= maxUnreadCounted ? `${maxUnreadCounted}+` : count
  return html`<span class="count${mentions > 0 ? '' : ' soft'}">${shown}<span class="unseen"> ${words}</span></span>`
}
