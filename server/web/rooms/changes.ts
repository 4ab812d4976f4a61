import type { Caller } from '../../../core/access/member.ts'
import type { MessageChanges } from '../../../core/rooms/room-history.ts'
import type { RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import { changesSince, wholePage } from '../page-changes.ts'
import { type MessageListContext, roomMessage, threadReply, threadRoot } from './message.ts'
import { renderedMessages } from './rendered-messages.ts'
import { newFromOf, roomHeader, typingLine } from './room.ts'

/** Changes for `server/client/rooms/changes.ts`. @throws WorkspaceError `bad_request` for `?since=` */
export async function roomChanges(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'events' | 'rendering' | 'rooms'>,
  ctx: RouteContext,
  caller: Caller,
  room: RoomPage,
): Promise<Html> {
  const { sequence } = workspace.events.changeTopics
  const since = changesSince(ctx)
  const threadId = queryText(ctx, 'thread') || null
  const { history } = workspace.rooms
  const from = queryText(ctx, 'from') || null
  const inRoom = history.changes(caller, room._id, { since, from, threadId: null })
  const inThread =
    threadId === null ? null : history.changes(caller, room._id, { since, from: null, threadId })
  const isRootGone = threadId !== null && (inRoom?.removedIds.includes(threadId) ?? false)
  if (!inRoom || isRootGone) return wholePage
  const context = await contextOf(workspace, caller, room, [inRoom, inThread])
  const root = inRoom.shown.find(({ message }) => message._id === threadId)?.message
  const newFrom = newFromOf(ctx, room)
  return html`${roomHeader(workspace, caller, room)}
${typingLine(room, caller)}
<div id="changes" data-sequence="${sequence}" data-removed="${removedIn(inRoom)}">
${inRoom.shown.map(({ message, before }) => roomMessage(message, before ?? undefined, newFrom, context))}</div>
${
  inThread &&
  html`<div id="thread-changes" data-removed="${removedIn(inThread)}">
${root && threadRoot(root, context)}${inThread.shown.map(({ message, before }) =>
  threadReply(message, before ?? undefined, context),
)}</div>`
}`
}

const removedIn = ({ removedIds }: MessageChanges): string => removedIds.join(' ')

async function contextOf(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'rendering'>,
  caller: Caller,
  room: RoomPage,
  changes: readonly (MessageChanges | null)[],
): Promise<MessageListContext> {
  const messages = changes.flatMap((one) => one?.shown ?? []).map(({ message }) => message)
  return {
    caller,
    path: room.path,
    roomId: room._id,
    nowMs: workspace.clock.now(),
    ...(await renderedMessages(workspace, caller, room, messages)),
  }
}
