import type { Caller } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import { mentionedIds } from '../../../core/markdown/canonical-mentions.ts'
import { memberPagePath } from '../../../core/paths.ts'
import { editWindowMs } from '../../../core/rooms/message-store.ts'
import type { MessageView } from '../../../core/rooms/types.ts'
import { dateTime, day, timeOfDay } from '../dates.ts'
import { Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { previewCards } from '../preview-cards.ts'
import { frequentReactions, reactionChips } from './reactions.ts'
import type { RenderedMessages } from './rendered-messages.ts'

export interface MessageListContext extends RenderedMessages {
  caller: Caller
  path: string
  roomId: string
  nowMs: number
}

/** Messages of one author within this time are grouped. */
const groupingMs = 5 * 60 * 1000

/** Messages from other programs name the program. */
const webClients = ['workroom', 'workroom-web']

/** By UTC day; `server/client/rooms/days.ts` regroups by the reader's days. @param newFrom the first new message */
export function messagesByDay(
  messages: readonly MessageView[],
  newFrom: string | null,
  context: MessageListContext,
): Html[] {
  return messages.map((message, index) => roomMessage(message, messages[index - 1], newFrom, context))
}

/** Adds the day above its first message, and the line above the first new one. */
export function roomMessage(
  message: MessageView,
  previous: MessageView | undefined,
  newFrom: string | null,
  context: MessageListContext,
): Html {
  const isNewDay = !previous || dayOf(previous) !== dayOf(message)
  const isNew = message._id === newFrom
  const follows = !isNewDay && !isNew && isGrouped(previous, message)
  return html`${isNewDay && html`<h2 class="day" id="day-${dayOf(message)}">${day(message._creationTime)}</h2>\n`}${
    isNew &&
    html`<div class="new-line" id="new-line" data-before="${message._id}" role="separator" \
aria-label="New messages"><span>New</span></div>\n`
  }${messageItem(message, context, { follows })}`
}

export const threadReplies = (messages: readonly MessageView[], context: MessageListContext): Html[] =>
  messages.map((message, index) => threadReply(message, messages[index - 1], context))

export function threadReply(
  message: MessageView,
  previous: MessageView | undefined,
  context: MessageListContext,
): Html {
  const follows = previous !== undefined && isGrouped(previous, message)
  return messageItem(message, context, { follows, isInThread: true })
}

/** The thread's root, which may be on the page twice. */
export const threadRoot = (message: MessageView, context: MessageListContext): Html =>
  messageItem(message, context, { isInThread: true, elementId: `root-${message._id}` })

interface ItemOptions {
  /** Whether it is grouped with the message before. */
  follows?: boolean
  isInThread?: boolean
  elementId?: string
}

function messageItem(
  message: MessageView,
  context: MessageListContext,
  { follows = false, isInThread = false, elementId = message._id }: ItemOptions = {},
): Html {
  const { _id: id, author, body, editedAt, pinned, replyCount = 0, sentVia } = message
  const { avatars, caller, path, previews, texts } = context
  const isToReader = mentionedIds(body).includes(caller.member.id)
  const via = sentVia !== undefined && !webClients.includes(sentVia)
  const formatTime = isInThread ? dateTime : timeOfDay
  return html`<article class="message${follows && ' follows'}${isToReader && ' to-reader'}" id="${elementId}" \
aria-labelledby="${elementId}-by" data-author="${author._id}">
<header id="${elementId}-by">${!follows && avatars.get(author._id)}<a \
class="by" href="${memberPagePath(author._id)}"><bdi>${author.name}</bdi></a>${
    author.type === 'agent' && html` <span class="tag">agent</span>`
  } <a class="at" href="${path}?at=${id}#${id}">${formatTime(message._creationTime)}</a>${
    via && html` <small class="via">via ${sentVia}</small>`
  }${
    editedAt !== undefined && html` <small class="edited">edited</small>`
  }${pinned && html` <span class="tag">pinned</span>`}</header>
<div class="text prose" dir="auto">${new Html(texts.get(id) ?? '')}</div>
${previewCards(previews.get(id) ?? [])}${reactionChips(message, caller)}${
  !isInThread &&
  replyCount > 0 &&
  html`<p class="thread-link"><a href="${path}?thread=${id}" \
data-thread="${id}">${replyCount === 1 ? '1 reply' : `${replyCount} replies`}</a></p>\n`
}${actions(message, context, isInThread)}</article>
`
}

function actions(
  message: MessageView,
  { caller, nowMs, path, roomId }: MessageListContext,
  isInThread: boolean,
): Html {
  const { _id: id, author, body } = message
  const isOwn = author._id === caller.member.id
  const call = `/api/rooms/${roomId}/messages/${id}`
  const mayEdit = isOwn && nowMs - message._creationTime < editWindowMs
  const mayDelete = isOwn || isAdmin(caller.member)
  return html`<details class="actions" name="actions"><summary \
aria-label="Actions for the message by ${author.name}">${icon('more')}</summary>
<div class="menu-list">
${frequentReactions(id)}${
  !isInThread && html`<a href="${path}?thread=${id}" data-thread="${id}">Reply in thread</a>\n`
}<button type="button" data-quote="${id}">Quote</button>
<button type="button" data-copy-link="${path}?at=${id}#${id}">Copy link</button>
<button type="button" data-call="${message.pinned ? 'DELETE' : 'PUT'} /api/rooms/${roomId}/pins/${id}">${
    message.pinned ? 'Unpin' : 'Pin'
  }</button>
${!isInThread && html`<button type="button" data-unread="${id}">Mark unread from here</button>\n`}${
  mayEdit && html`<button type="button" data-edit="${call}" data-stored="${body}">Edit</button>\n`
}${
  mayDelete &&
  html`<button type="button" data-call="DELETE ${call}" data-confirm="Delete this message for everyone?" \
data-confirm-button="Delete">Delete</button>\n`
}</div></details>
`
}

const isGrouped = (previous: MessageView, message: MessageView): boolean =>
  previous.author._id === message.author._id &&
  previous.sentVia === message.sentVia &&
  message._creationTime - previous._creationTime < groupingMs

const dayOf = ({ _creationTime }: MessageView): string => new Date(_creationTime).toISOString().slice(0, 10)
