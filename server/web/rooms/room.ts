import type { Caller } from '../../../core/access/member.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { WindowRequest } from '../../../core/rooms/room-history.ts'
import type { MessageView, RoomPage } from '../../../core/rooms/types.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { type Page, redirect } from '../pages.ts'
import { composer } from './composer.ts'
import { type MessageListContext, messagesByDay, threadReplies, threadRoot } from './message.ts'
import { nameList } from './name-list.ts'
import { pinsPath } from './pins.ts'
import { reactionForm } from './reactions.ts'
import { renderedMessages } from './rendered-messages.ts'

/** Unread messages shown at once. Beyond this, a link leads to the first of them. */
const maxUnreadCounted = 100
/** Read messages shown above the first unread one. */
const readMessagesAbove = 15
const defaultCount = 50

/**
 * - `?at=<message>`: a message among its neighbours
 * - `?on=<date>`: redirects to the first message of that day or later, in the time zone `zone`
 * - `?before=<message>`: the messages before it
 * - `?from=<message>`: that message and all later ones; with `new=<message>` or `new=none`, as the script
 *   requests, the line of new messages stays
 * - `?thread=<message>`: also its thread; with `at=<reply>` around that reply, with `replies=<reply>` from it
 *   on
 *
 * @returns undefined if redirected
 */
export async function roomPage(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'rendering' | 'rooms'>,
  ctx: RouteContext,
  caller: Caller,
  room: RoomPage,
  session: OpenSession,
): Promise<Page | undefined> {
  const at = queryText(ctx, 'at')
  if (at && !queryText(ctx, 'thread')) {
    const { threadId } = workspace.rooms.history.find(caller, room._id, at).message
    if (threadId !== undefined) {
      redirect(ctx, `${room.path}?thread=${threadId}&at=${at}#${at}`)
      return undefined
    }
  }
  const on = queryText(ctx, 'on')
  if (on) {
    const timeZone = queryText(ctx, 'zone') || 'UTC'
    const first = workspace.rooms.history.firstFrom(caller, room._id, { date: on, timeZone })
    redirect(ctx, first === null ? room.path : `${room.path}?at=${first}#${first}`)
    return undefined
  }
  const messageWindow = workspace.rooms.history.read(caller, room._id, requestedWindow(ctx, room))
  const thread = threadOf(workspace, ctx, caller, room)
  const allMessages = [
    ...messageWindow.messages,
    ...(thread?.messages ?? []),
    ...(thread?.root ? [thread.root] : []),
  ]
  const context: MessageListContext = {
    caller,
    path: room.path,
    roomId: room._id,
    nowMs: workspace.clock.now(),
    ...(await renderedMessages(workspace, caller, room, allMessages)),
  }
  const composerFields = composerContext(workspace, room)
  const { messages, earlier, hasLater } = messageWindow
  const newFrom = newFromOf(ctx, room)
  const [first, last] = [messages[0], messages.at(-1)]
  return {
    title: room.title,
    path: room.path,
    isWide: true,
    kind: 'room',
    follows: { events: [room._id], topics: [`room:${room._id}`] },
    content: html`<div class="room" data-here="${room._id}" data-path="${room.path}">
<section class="talk" aria-label="Messages" tabindex="-1">
${roomHeader(workspace, caller, room)}
<div class="messages" id="messages" data-live${first && html` data-first="${first._id}"`}${
      last && html` data-last="${last._id}"`
    }${hasLater && html` data-later`}>
${
  earlier !== null &&
  html`<p class="more"><a class="earlier" href="${room.path}?before=${first!._id}" data-from="${earlier}">Earlier messages</a></p>`
}
${
  room.unread >= maxUnreadCounted &&
  newFrom === room.firstUnreadId &&
  !messages.some(({ _id }) => _id === newFrom) &&
  html`<p class="notice">${maxUnreadCounted}+ unread messages. <a \
href="${room.path}?at=${newFrom}#${newFrom}">Go to the first unread message</a></p>`
}
${messages.length > 0 ? messagesByDay(messages, newFrom, context) : emptyRoom(ctx)}
${
  hasLater &&
  html`<p class="more"><a class="later" href="${room.path}?from=${last!._id}">Later messages</a> · <a \
href="${room.path}">Latest messages</a></p>`
}
</div>
<div class="pending" id="pending" data-keep></div>
<div class="talk-foot">
<button type="button" class="newest" hidden>Jump to latest</button>
${typingLine(room, caller)}
${composer({ id: 'message', threadId: null, to: room.title, ...composerFields })}
</div>
</section>
<div id="thread" data-live>${thread && threadPart(thread, context, { ...composerFields, path: room.path })}</div>
${reactionForm(room.path, session)}
<p class="unseen" id="message-announcement" role="log"></p>
</div>`,
  }
}

function requestedWindow(ctx: RouteContext, { unread }: RoomPage): WindowRequest {
  const [at, from, before, thread] = ['at', 'from', 'before', 'thread'].map((name) => queryText(ctx, name))
  if (at && !thread) return { at: 'around', messageId: at }
  if (from) return { at: 'from', messageId: from }
  if (before) return { at: 'before', messageId: before }
  return {
    at: 'end',
    count: unread < maxUnreadCounted ? Math.max(defaultCount, unread + readMessagesAbove) : defaultCount,
  }
}

/** Keeps the line where it was when the page was opened. */
export function newFromOf(ctx: RouteContext, { firstUnreadId }: RoomPage): string | null {
  const requested = queryText(ctx, 'new')
  if (requested === undefined) return firstUnreadId
  return requested === 'none' ? null : requested
}

interface Thread {
  id: string
  root: MessageView | null
  messages: MessageView[]
  earlier: string | null
  hasLater: boolean
}

function threadOf(
  workspace: Pick<Workspace, 'rooms'>,
  ctx: RouteContext,
  caller: Caller,
  room: RoomPage,
): Thread | null {
  const id = queryText(ctx, 'thread')
  if (!id) return null
  const { message, isDeleted } = workspace.rooms.history.find(caller, room._id, id)
  const [at, from] = [queryText(ctx, 'at'), queryText(ctx, 'replies')]
  const requested: WindowRequest = from
    ? { at: 'from', messageId: from }
    : at
      ? { at: 'around', messageId: at }
      : { at: 'end' }
  const { messages, earlier, hasLater } = workspace.rooms.history.read(caller, room._id, requested, id)
  return { id, root: isDeleted ? null : message, messages, earlier, hasLater }
}

/** The composer has the thread's id, so that unsent text never appears in another thread. */
function threadPart(
  { id, root, messages, earlier, hasLater }: Thread,
  context: MessageListContext,
  { path, ...composerFields }: ComposerFields & { path: string },
): Html {
  const last = messages.at(-1)
  return html`<aside class="thread" id="thread-${id}" aria-labelledby="thread-title"${last && html` data-last="${last._id}"`}>
<header class="thread-head"><h2 id="thread-title">Thread</h2><a class="close" href="${path}" data-thread="" \
aria-label="Close the thread">Close</a></header>
<div class="thread-messages" id="thread-messages">
${root ? threadRoot(root, context) : html`<p class="hint">The first message of this thread was deleted.</p>`}
${earlier !== null && html`<p class="more"><a class="earlier" href="${path}?thread=${id}&amp;replies=${earlier}">Earlier replies</a></p>`}
<div class="replies-list" id="replies">
${threadReplies(messages, context)}</div>
${hasLater && html`<p class="more"><a class="later" href="${path}?thread=${id}&amp;replies=${last!._id}">Later replies</a></p>`}
<div class="pending" id="pending-${id}" data-pending="${id}" data-keep></div>
</div>
${root && composer({ id: `reply-${id}`, threadId: id, to: 'the thread', ...composerFields })}
</aside>`
}

type ComposerFields = Pick<Parameters<typeof composer>[0], 'roomId' | 'project'>

const composerContext = (
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  room: RoomPage,
): ComposerFields => ({
  roomId: room._id,
  project: room.projectId === null ? null : projects.find(room.projectId),
})

export function roomHeader(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  { member }: Caller,
  room: RoomPage,
): Html {
  const project = room.projectId === null ? null : projects.find(room.projectId)
  const otherMembers = room.members.filter(({ _id }) => _id !== member.id)
  const here = otherMembers.filter((one) => one.here).map(({ name }) => name)
  const online = otherMembers.filter((one) => one.online).length
  const count = room.members.length
  return html`<header class="room-head" id="room-head" data-live data-path="${room.path}"${
    room.archivedAt !== undefined && html` data-archived`
  }>
<div class="room-name"><h1><bdi>${room.title}</bdi></h1>${room.type !== 'open' && html`<span class="tag">${room.type}</span>`}${
    project && html`<a class="tag" href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a>`
  }${favouriteButton(room)}</div>
<p class="who">${
    here.length > 0 &&
    html`<span class="room-here">${nameList(here)} ${here.length === 1 ? 'is' : 'are'} here</span>`
  }<a href="${room.path}/settings">${count === 1 ? '1 member' : `${count} members`}${online > 0 && `, ${online} online`}</a></p>
${room.pins > 0 && html`<a class="pins-link" href="${pinsPath(room.path)}">${room.pins} pinned</a>\n`}${searchLink(room)}
${jumpToDate(room)}
${room.description.trim() !== '' && html`<p class="about">${room.description}</p>`}
${
  room.archivedAt !== undefined &&
  html`<p class="about" id="archived">This room is archived and read-only.${
    room.isManaged && html` <a href="${room.path}/settings#archive">Reopen</a>`
  }</p>`
}
</header>`
}

/** The query begins with a space: the caret is at the start of the field. */
const searchLink = ({ slug }: RoomPage): Html =>
  html`<a class="search-link" href="/search?q=${encodeURIComponent(` in:${slug}`)}">Search</a>`

const favouriteButton = ({ _id, favourite }: RoomPage): Html =>
  html`<button type="button" class="quiet star" data-call="PUT /api/rooms/${_id}/sidebar" \
data-json="${JSON.stringify({ favourite: !favourite })}" aria-label="Favourite" aria-pressed="${favourite ? 'true' : 'false'}" \
title="${favourite ? 'Remove from favourites' : 'Add to favourites'}">${icon('star')}</button>`

/** The script fills in the reader's time zone. */
const jumpToDate = ({ path }: RoomPage): Html =>
  html`<details class="jump" data-keep><summary>Jump to date</summary>
<form method="get" action="${path}"><input type="date" name="on" aria-label="Date" required><input type="hidden" name="zone" \
value="UTC"><button class="second">Jump</button></form></details>`

export function typingLine({ typing }: RoomPage, { member }: Caller): Html {
  const names = typing.filter(({ memberId }) => memberId !== member.id).map(({ name }) => name)
  return html`<p class="typing" id="typing" data-live role="status">${
    names.length > 0 && html`${nameList(names)} ${names.length === 1 ? 'is' : 'are'} typing…`
  }</p>`
}

const emptyRoom = (ctx: RouteContext): Html =>
  queryText(ctx, 'before')
    ? html`<p class="hint">This is the beginning of the room.</p>`
    : html`<div class="empty" id="nothing-said"><p>No messages yet.</p><p>Write the first message below. Mention someone with \
@Name to notify them.</p></div>`
