import type { Caller } from '../../../core/access/member.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { PinView, RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import type { Page } from '../pages.ts'

export const pinsPath = (roomPath: string): string => `${roomPath}/pins`

export async function pinsPage(
  workspace: Pick<Workspace, 'rendering' | 'rooms'>,
  caller: Caller,
  room: RoomPage,
): Promise<Page> {
  const pins = workspace.rooms.pins.list(caller, room._id)
  const texts = await workspace.rendering.texts.html(
    caller,
    pins.map(({ message: { _id, body } }) => ({ key: _id, body, projectId: room.projectId })),
  )
  const path = pinsPath(room.path)
  return {
    title: `Pinned in ${room.title}`,
    kind: 'room-details',
    path: room.path,
    follows: { topics: [`room:${room._id}`] },
    content: html`<p class="trail" id="trail" data-live data-by-id="${pinsPath(`/rooms/${room._id}`)}" \
data-path="${path}"><a href="/rooms">Rooms</a> / <a href="${room.path}"><bdi>${room.title}</bdi></a></p>
<h1>Pinned messages</h1>
<div id="pins" data-live>${
      pins.length === 0
        ? html`<p class="empty">No pinned messages. Pin one from its menu in the room.</p>`
        : html`<ol class="pins">${pins.map((pin) => pinItem(pin, room, texts))}</ol>`
    }</div>`,
  }
}

function pinItem(
  { message: { _id: id, author, _creationTime, threadId }, pinnedBy, pinnedAt }: PinView,
  { _id: roomId, path }: RoomPage,
  texts: ReadonlyMap<string, string>,
): Html {
  return html`<li id="pin-${id}"><article aria-labelledby="pin-${id}-by">
<header id="pin-${id}-by"><a class="by" href="${memberPagePath(author._id)}"><bdi>${author.name}</bdi></a>${
    author.type === 'agent' && html` <span class="tag">agent</span>`
  } <a class="at" href="${path}?at=${id}#${id}">${dateTime(_creationTime)}</a>${
    threadId !== undefined && html` <small>in a thread</small>`
  }</header>
<div class="text prose" dir="auto">${new Html(texts.get(id) ?? '')}</div>
<footer><small>Pinned by <bdi>${pinnedBy.name}</bdi>, ${dateTime(pinnedAt)}</small> <button class="second" \
data-call="DELETE /api/rooms/${roomId}/pins/${id}" aria-label="Unpin the message by ${author.name}">Unpin</button></footer>
</article></li>
`
}
