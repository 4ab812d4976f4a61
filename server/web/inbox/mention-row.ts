import type { MentionItem } from '../../../core/news/types.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

const kinds = { message: 'in', post: 'in the post', comment: 'in a comment on' } as const

export const mentionRow = ({ id, kind, by, title, preview, at, page }: MentionItem): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${by.name}</bdi> ${kinds[kind]} <bdi>${title}</bdi></a>
${preview !== null && html`<br><bdi>${preview}</bdi>`}<br><small>${dateTime(at)}</small></p>
<button class="quiet" data-call="POST /api/inbox/read" data-json="${JSON.stringify({ ids: [id] })}">Mark as read<span class="unseen"> what ${by.name} wrote ${kinds[kind]} ${title}</span></button></li>
`
