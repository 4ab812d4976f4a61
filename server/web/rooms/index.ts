import type { Caller } from '../../../core/access/member.ts'
import type { RoomPage, SidebarRoom } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { html } from '../html.ts'
import { type Page, redirect } from '../pages.ts'
import { formHandler, requireCaller } from '../signed-in.ts'
import { roomChanges } from './changes.ts'
import { roomsPage } from './list.ts'
import { pinsPage, pinsPath } from './pins.ts'
import { roomPage } from './room.ts'
import { roomSettingsPage } from './settings.ts'

/** Former names of rooms redirect to the current ones. */
export const roomRoutes = (
  workspace: Pick<Workspace, 'clock' | 'directory' | 'events' | 'inbox' | 'rendering' | 'rooms'>,
  { browserSessions, pages, page }: Pick<ServerParts, 'browserSessions' | 'pages' | 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: rooms, where one can be created')
    .get(
      '/rooms',
      page((_, { caller }) => roomsPage(workspace, caller)),
    )
    .purpose(
      'Page: a room; ?at=<message>, ?before=<message>, ?thread=<message>, ?on=<date>; ?part=changes for its script',
    )
    .get(
      '/rooms/:room',
      page(async (ctx, { caller, session }) => {
        const currentPath = workspace.rooms.rooms.movedTo(caller, ctx.params.room!)
        if (currentPath !== null) return redirect(ctx, currentPath + ctx.search)
        const found = roomOf(workspace, caller, ctx.params.room!)
        if ('toJoin' in found) return joinPage(workspace, caller, found.toJoin)
        if (queryText(ctx, 'part') !== 'changes') return roomPage(workspace, ctx, caller, found, session)
        pages.showPart(ctx, await roomChanges(workspace, ctx, caller, found))
        return undefined
      }),
    )
    .purpose('Add or remove a reaction to a message, without script')
    .post(
      '/rooms/:room/reactions',
      formHandler(browserSessions, async (ctx, { caller }, form) => {
        const [messageId = '', emoji = ''] = (form.get('reaction') ?? '').split(' ')
        const { room } = ctx.params
        await workspace.rooms.reactions.toggle(caller, room!, messageId, emoji)
        redirect(ctx, `/rooms/${encodeURIComponent(room!)}?at=${messageId}#${messageId}`)
      }),
    )
    .purpose('Page: the pinned messages of a room')
    .get(
      '/rooms/:room/pins',
      page((ctx, { caller }) => {
        const currentPath = workspace.rooms.rooms.movedTo(caller, ctx.params.room!)
        if (currentPath !== null) return redirect(ctx, pinsPath(currentPath))
        const found = roomOf(workspace, caller, ctx.params.room!)
        return 'toJoin' in found ? redirect(ctx, found.toJoin.path) : pinsPage(workspace, caller, found)
      }),
    )
    .purpose('Page: a room’s members, its position in your sidebar, and its settings')
    .get(
      '/rooms/:room/settings',
      page((ctx, { caller }) => {
        const currentPath = workspace.rooms.rooms.movedTo(caller, ctx.params.room!)
        if (currentPath !== null) return redirect(ctx, `${currentPath}/settings`)
        const found = roomOf(workspace, caller, ctx.params.room!)
        return 'toJoin' in found
          ? redirect(ctx, found.toJoin.path)
          : roomSettingsPage(workspace, caller, found)
      }),
    )
    .purpose('Signal that you are typing in a room, for an open page')
    .post('/rooms/:room/typing', (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to write.')
      workspace.rooms.typing.startAsPerson(caller, ctx.params.room!)
      ctx.status = 204
    })
    .purpose('Signal that you stopped typing')
    .delete('/rooms/:room/typing', (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to write.')
      workspace.rooms.typing.stopAsPerson(caller, ctx.params.room!)
      ctx.status = 204
    })

/**
 * Finds a room by id or slug; an open one may not be joined yet.
 * @throws WorkspaceError `not_found`, `forbidden`
 */
function roomOf(
  { rooms: { rooms } }: Pick<Workspace, 'rooms'>,
  caller: Caller,
  idOrSlug: string,
): RoomPage | { toJoin: SidebarRoom } {
  const normalized = idOrSlug.normalize('NFC')
  const { open, archived } = rooms.overview(caller)
  const toJoin = [...open, ...archived].find(
    ({ id, slug, involvement }) => involvement === null && (id === normalized || slug === normalized),
  )
  return toJoin ? { toJoin } : rooms.page(caller, idOrSlug)
}

function joinPage(
  { rooms: { rooms }, inbox }: Pick<Workspace, 'inbox' | 'rooms'>,
  caller: Caller,
  { id, name, path }: SidebarRoom,
): Page {
  const isArchived = rooms.overview(caller).archived.some((one) => one.id === id)
  const { description } = rooms
    .list(caller, { all: true, archived: isArchived })
    .find(({ _id }) => _id === id)!
  return {
    title: name,
    kind: 'room-details',
    path,
    follows: { topics: [`room:${id}`] },
    content: html`<p class="trail"><a href="/rooms">Rooms</a></p>
<div id="join" data-live data-by-id="/rooms/${id}" data-path="${path}">
<h1><bdi>${name}</bdi></h1>
${description.trim() !== '' && html`<p>${description}</p>`}
<p data-unread="${inbox.records.inPlaces(caller, [id]).join(' ')}">You are not in this room. \
${isArchived ? 'It is archived. Join it to read its messages.' : 'Join it to read and write messages.'}</p>
<p><button data-call="POST /api/rooms/${id}/join" data-then="go:${path}">Join room</button></p>
</div>`,
  }
}
