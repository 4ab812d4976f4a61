import type { Caller } from '../../../core/access/member.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { Involvement } from '../../../core/room-members/involvement.ts'
import type { RoomMemberView, RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'

const choices: Record<Involvement, string> = {
  everything: 'Everything: count all unread messages',
  mentions: 'Mentions: count only mentions',
  nothing: 'Nothing: direct mentions still go to your inbox',
  invisible: 'Nothing, and hide the room from the sidebar',
}

export function roomSettingsPage(
  workspace: Pick<Workspace, 'directory' | 'rooms'>,
  caller: Caller,
  room: RoomPage,
): Page {
  const { member } = caller
  const { members } = workspace.directory
  const call = `/api/rooms/${room._id}`
  const memberIds = new Set(room.members.map(({ _id }) => _id))
  const nonMembers = members.active().filter(({ id }) => !memberIds.has(id))
  return {
    title: `Settings of ${room.title}`,
    kind: 'room-details',
    path: room.path,
    follows: { topics: ['workspace', `room:${room._id}`, `member:${member.id}`] },
    content: html`<p class="trail" id="trail" data-live data-by-id="/rooms/${room._id}/settings" \
data-path="${room.path}/settings"><a href="/rooms">Rooms</a> / <a href="${room.path}"><bdi>${room.title}</bdi></a></p>
<h1>Settings</h1>
<div class="room-settings">
<section aria-labelledby="members-title"><h2 id="members-title">Members</h2>
<div id="members" data-live><ul class="rows">${room.members.map((one) => memberRow(room, one, member.id))}</ul></div>
<div id="invite" data-live>${nonMembers.length > 0 && inviteForm(call, nonMembers)}</div></section>
<section aria-labelledby="notifications-title"><h2 id="notifications-title">Notifications</h2>
<form method="dialog" id="involvement" data-live data-call="PUT ${call}/involvement" data-say="Saved."><fieldset><legend \
class="unseen">Notifications for ${room.title}</legend>
${Object.entries(choices).map(
  ([value, label]) =>
    html`<label><input type="radio" name="involvement" value="${value}"${
      value === room.involvement && html` checked`
    }> ${label}</label>\n`,
)}</fieldset>
<button>Save</button></form></section>
${sidebarSection(workspace, caller, room)}
<section aria-labelledby="room-title"><h2 id="room-title">The room</h2>
<div id="naming" data-live>${
      room.archivedAt === undefined
        ? nameForm(room, call)
        : html`<p class="hint">It is archived and cannot be changed until it is reopened.</p>`
    }</div></section>
<section aria-labelledby="leave-title"><h2 id="leave-title">Leave</h2>
<p>${room.type === 'open' ? 'You can rejoin at any time.' : 'To rejoin, a member must invite you.'}</p>
<button class="danger" data-call="POST ${call}/leave" data-confirm="Leave ${bidiIsolate(room.title)}?" data-confirm-button="Leave" \
data-then="go:/rooms">Leave room</button></section>
<div class="room-management" id="management" data-live>
${room.isManaged && !room.isWelcoming && room.type !== 'direct' && managementSections(room, readersOf(workspace, room))}</div>
</div>`,
  }
}

const nameForm = (room: RoomPage, call: string): Html =>
  html`<form method="dialog" id="room" data-call="PATCH ${call}" data-say="Saved." data-then="go:/rooms/{_id}/settings">
<p class="field"><label for="name">Name</label><input id="name" name="name" value="${room.name}" required maxlength="80" \
autocomplete="off"></p>
<p class="field"><label for="description">Description</label><textarea id="description" name="description" data-empty maxlength="2000">
${room.description}</textarea></p>
<button>Save</button></form>`

/** Each member has sections of their own. A new name creates one. */
function sidebarSection(
  { rooms: { rooms } }: Pick<Workspace, 'rooms'>,
  caller: Caller,
  room: RoomPage,
): Html {
  const sections = new Set(rooms.overview(caller).joined.flatMap(({ section }) => section ?? []))
  return html`<section aria-labelledby="sidebar-title"><h2 id="sidebar-title">Your sidebar</h2>
<form method="dialog" id="sidebar" data-live data-call="PUT /api/rooms/${room._id}/sidebar" data-say="Saved.">
<p class="field"><label><input type="checkbox" name="favourite"${room.favourite && html` checked`}> Favourite: at the top</label></p>
<p class="field"><label for="section">Section</label><input id="section" name="section" value="${room.section ?? ''}" \
maxlength="40" data-empty="null" list="sections" autocomplete="off" placeholder="None"></p>
<datalist id="sections">${[...sections].map((name) => html`<option value="${name}"></option>`)}</datalist>
<button>Save</button></form></section>`
}

function readersOf(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  { projectId }: RoomPage,
): string {
  const project = projectId === null ? null : projects.find(projectId)
  return project ? `every member of the project ${bidiIsolate(project.name)}` : 'everyone in the workspace'
}

const memberRow = (
  room: RoomPage,
  { _id, name, type, online, here }: RoomMemberView,
  readerId: string,
): Html =>
  html`<li id="member-${_id}"><p class="main"><a href="${memberPagePath(_id)}"><bdi>${name}</bdi></a>${
    type === 'agent' && html` <span class="tag">agent</span>`
  }${_id === readerId && html` <small>you</small>`}</p>
<div class="buttons">${online && html`<span class="tag good">${here ? 'here' : 'online'}</span>`}
${room.isManaged && room.type !== 'direct' && _id !== readerId && removeButton(room, { _id, name })}</div></li>
`

const removeButton = (room: RoomPage, { _id, name }: Pick<RoomMemberView, '_id' | 'name'>): Html =>
  html`<button class="quiet" data-call="DELETE /api/rooms/${room._id}/members/${_id}" data-say="Removed." \
data-confirm="Remove ${bidiIsolate(name)} from ${bidiIsolate(room.title)}? ${
    room.type === 'open' ? 'They can rejoin while the room is open.' : 'They can no longer read it.'
  }" \
data-confirm-button="Remove">Remove<span class="unseen"> ${name}</span></button>`

const inviteForm = (call: string, nonMembers: readonly { id: string; name: string; type: string }[]): Html =>
  html`<form method="dialog" class="inline" data-call="POST ${call}/members" data-say="Added."><p class="field"><label \
for="invite-who">Add a member</label><select id="invite-who" name="memberId" required><option value="">Choose…</option>
${nonMembers.map(({ id, name, type }) => html`<option value="${id}">${name}${type === 'agent' && ' (agent)'}</option>\n`)}</select></p>
<button class="second">Add</button></form>`

const managementSections = (room: RoomPage, readers: string): Html => {
  const call = `/api/rooms/${room._id}`
  return html`${room.archivedAt === undefined && accessSection(room, call, readers)}
${archiveSection(room, call)}
${deletionSection(room, call)}`
}

const accessSection = (room: RoomPage, call: string, readers: string): Html =>
  html`<section aria-labelledby="access-title"><h2 id="access-title">Access</h2>
${
  room.type === 'open'
    ? html`<p class="hint before">Open: ${readers} can join. If you close it, new members need an invitation. \
Current members stay.</p>
<button class="second" data-call="PATCH ${call}" data-json="{&quot;type&quot;:&quot;closed&quot;}" \
data-say="Only members can read this room now.">Close this room</button>`
    : html`<p class="hint before">Closed: by invitation. If you open it, ${readers} can join and read \
all its messages.</p>
<button class="danger" data-call="PATCH ${call}" data-json="{&quot;type&quot;:&quot;open&quot;}" \
data-confirm="Open ${bidiIsolate(room.title)}? ${sentence(readers)} can then read all its messages, including past ones." \
data-confirm-button="Open" data-say="This room is open now.">Open this room</button>`
}</section>`

const archiveSection = ({ title, archivedAt }: RoomPage, call: string): Html =>
  html`<section aria-labelledby="archive"><h2 id="archive">${archivedAt === undefined ? 'Archive' : 'Reopen'}</h2>
${
  archivedAt === undefined
    ? html`<p class="hint before">An archived room is read-only and is removed from the sidebar and the lists. \
Search still finds it, and you can reopen it at any time.</p>
<button class="second" data-call="PATCH ${call}" data-json="{&quot;archived&quot;:true}" data-say="Room archived." \
data-undo="PATCH ${call}" data-undo-json="{&quot;archived&quot;:false}" data-confirm="Archive ${bidiIsolate(title)}?" \
data-confirm-button="Archive">Archive this room</button>`
    : html`<p class="hint before">Its members can write in it again, and it appears in the lists.</p>
<button data-call="PATCH ${call}" data-json="{&quot;archived&quot;:false}" data-say="Room reopened.">Reopen this room</button>`
}</section>`

/** The name must be typed to confirm. */
const deletionSection = ({ name }: RoomPage, call: string): Html =>
  html`<section aria-labelledby="delete-title"><h2 id="delete-title">Delete</h2>
<details class="sheet fold" id="delete-room">
<summary>Delete this room</summary>
<form method="dialog" data-call="DELETE ${call}?name={name}" data-then="go:/rooms">
<p>All its messages, threads and reactions are deleted for everyone. This cannot be undone; archive the room to keep them.</p>
<div class="field"><label for="confirm-name">Type <bdi>${name}</bdi> to confirm</label>
<input id="confirm-name" name="name" required maxlength="80" autocomplete="off"></div>
<button class="danger">Delete room</button>
</form>
</details></section>`

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
