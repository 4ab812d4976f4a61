import type { Caller, Member } from '../../../core/access/member.ts'
import type { SidebarRoom } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { directLink } from './direct.ts'

export function roomsPage(workspace: Pick<Workspace, 'directory' | 'rooms'>, caller: Caller): Page {
  const { joined, open, archived } = workspace.rooms.rooms.overview(caller)
  const descriptions = new Map(
    workspace.rooms.rooms
      .list(caller, { all: true })
      .concat(workspace.rooms.rooms.list(caller, { all: true, archived: true }))
      .map(({ _id, description }) => [_id, description.trim()]),
  )
  const row = (room: SidebarRoom) => roomRow(workspace, room, descriptions.get(room.id) ?? '')
  const direct = joined.filter(({ type }) => type === 'direct')
  const groupRooms = joined.filter(({ type }) => type !== 'direct')
  const people = workspace.directory.members.active().filter(({ id }) => id !== caller.member.id)
  return {
    title: 'Rooms',
    follows: { events: ['*'], topics: ['workspace', `member:${caller.member.id}`] },
    content: html`<div class="page-head"><h1>Rooms</h1><a class="button second small" href="#room-name">New room</a></div>
<div id="rooms" data-live>
${
  groupRooms.length > 0
    ? html`<ul class="rows">${groupRooms.map(row)}</ul>`
    : html`<div class="empty"><p>You are not in any room yet.</p><p>Join one below or create one.</p></div>`
}
${direct.length > 0 && html`<h2>Direct</h2>\n<ul class="rows">${direct.map(row)}</ul>`}
${open.length > 0 && html`<h2>Open to join</h2>\n<ul class="rows">${open.map(row)}</ul>`}
</div>
<div id="archived" data-live>
${
  archived.length > 0 &&
  html`<details class="fold" id="archived-rooms"><summary>Archived (${archived.length})</summary>\n<ul \
class="rows">${archived.map(row)}</ul></details>`
}
</div>
<details class="sheet fold" id="new-room"><summary>New room</summary>
${newRoomForm(workspace, caller, people)}
</details>
${people.length > 0 && directRooms(workspace, caller, people)}`,
  }
}

function roomRow(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  room: SidebarRoom,
  description: string,
): Html {
  const project = room.projectId === null ? null : projects.find(room.projectId)
  return html`<li id="row-${room.id}"><div class="main"><a href="${room.path}"><bdi>${room.name}</bdi></a>${
    room.type === 'closed' && html` <span class="tag">closed</span>`
  }${project && html` <span class="tag"><bdi>${project.name}</bdi></span>`}
${description !== '' && html`<p><small>${description}</small></p>`}</div>
${
  room.involvement === null
    ? html`<button class="second small" data-call="POST /api/rooms/${room.id}/join" data-then="go:${room.path}" \
aria-label="Join ${room.name}">Join</button>`
    : unreadText(room)
}</li>
`
}

const unreadText = ({ unread, mentions }: SidebarRoom): Html | false =>
  (unread > 0 || mentions > 0) &&
  html`<p><small>${[
    ...(unread > 0 ? [`${unread >= 100 ? '100+' : unread} unread`] : []),
    ...(mentions > 0 ? [mentions === 1 ? '1 mention' : `${mentions} mentions`] : []),
  ].join(', ')}</small></p>`

function newRoomForm(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  { member }: Caller,
  people: readonly Member[],
): Html {
  const projectChoices = projects.readableBy(member).filter(({ archivedMs }) => archivedMs === null)
  return html`<form method="dialog" data-call="POST /api/rooms" data-then="go:/rooms/{_id}">
<p class="field"><label for="room-name">Name</label><input id="room-name" name="name" required maxlength="80" autocomplete="off"></p>
<p class="field"><label for="room-description">Description</label><input id="room-description" name="description" maxlength="2000" \
autocomplete="off"></p>
<fieldset><legend>Access</legend>
<label><input type="radio" name="type" value="open" checked> Open: anyone can join</label>
<label><input type="radio" name="type" value="closed"> Closed: by invitation</label>
</fieldset>
${
  projectChoices.length > 0 &&
  html`<p class="field"><label for="room-project">Project</label><select id="room-project" name="projectId"><option \
value="">None: for everyone in the workspace</option>
${projectChoices.map(({ id, name }) => html`<option value="${id}">${name}</option>\n`)}</select></p>`
}
${
  people.length > 0 &&
  html`<fieldset><legend>Initial members (besides you)</legend><div class="choices">
${people.map(
  ({ id, name, type }) =>
    html`<label><input type="checkbox" name="members" value="${id}" data-as="list"> <bdi>${name}</bdi>${
      type === 'agent' && html` <span class="tag">agent</span>`
    }</label>\n`,
)}</div></fieldset>`
}
<button>Create room</button>
</form>`
}

function directRooms(workspace: Pick<Workspace, 'rooms'>, caller: Caller, people: readonly Member[]): Html {
  const entry = (member: Member) => {
    const label = html`<bdi>${member.name}</bdi>${member.type === 'agent' && html` <span class="tag">agent</span>`}`
    return html`<li>${directLink(workspace, caller, member, { label, className: 'quiet' })}</li>\n`
  }
  return html`<details class="sheet fold" id="new-direct"><summary>New direct message</summary>
<ul class="choices">
${people.map(entry)}</ul>
</details>`
}
