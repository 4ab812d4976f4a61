import type { Caller } from '../../../core/access/member.ts'
import type { MessageView, ReactionView } from '../../../core/rooms/types.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import { csrfField } from '../csrf-field.ts'
import { type Html, html } from '../html.ts'

const frequent = ['👍', '❤️', '😄', '🎉', '👀', '✅']

/** Further members are counted. */
const maxNames = 20

const reactionsPath = (roomPath: string): string => `${roomPath}/reactions`

/** Shared by the buttons of all messages. The script calls the interface instead. */
export const reactionForm = (roomPath: string, session: OpenSession): Html =>
  html`<form id="react" method="post" action="${reactionsPath(roomPath)}">${csrfField(session)}</form>`

export function reactionChips({ _id: id, reactions = [] }: MessageView, { member }: Caller): Html | false {
  if (reactions.length === 0) return false
  return html`<ul class="reactions" aria-label="Reactions">${reactions.map((reaction) => {
    const isOwn = reaction.members.some(({ _id }) => _id === member.id)
    return html`<li><button form="react" name="reaction" value="${id} ${reaction.emoji}" \
aria-pressed="${isOwn ? 'true' : 'false'}" aria-label="${labelOf(reaction)}" \
title="${namesOf(reaction)}">${reaction.emoji} ${reaction.count}</button></li>`
  })}</ul>
`
}

export const frequentReactions = (id: string): Html =>
  html`<div class="react" role="group" aria-label="React">${frequent.map(
    (emoji) =>
      html`<button form="react" name="reaction" value="${id} ${emoji}" aria-label="React with ${emoji}">${emoji}</button>`,
  )}</div>
<button type="button" data-react="${id}">Other reaction…</button>
`

const labelOf = (reaction: ReactionView): string =>
  `${reaction.count === 1 ? '1 person' : `${reaction.count} people`} reacted with ${reaction.emoji}: ${namesOf(reaction)}`

function namesOf({ members }: ReactionView): string {
  const names = members.slice(0, maxNames).map(({ name }) => name)
  const remaining = members.length - names.length
  return `${names.join(', ')}${remaining > 0 ? ` and ${remaining} more` : ''}`
}
