import type { RoomPage } from '../../../core/rooms/types.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'

export const managementSections = (room: RoomPage, readers: string): Html => {
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
