import { isAdmin } from '../../core/access/permissions.ts'
import { projectPagePath } from '../../core/paths.ts'
import type { SidebarRoom } from '../../core/rooms/types.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { csrfField } from './csrf-field.ts'
import { type Html, html } from './html.ts'
import { countOf, maxUnreadCounted, sidebarRooms } from './sidebar-rooms.ts'

/** @param at the path of the page, which is marked as current */
export function sidebar(workspace: Workspace, session: OpenSession, at: string): Html {
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
data-unread="${mentions + notices.all - notices.direct + unreadIn(direct)}">
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
const unreadIn = (direct: readonly SidebarRoom[]): number =>
  direct
    .filter(({ involvement }) => involvement === 'everything')
    .reduce((sum, { unread, mentions }) => sum + Math.max(unread - mentions, 0), 0)
