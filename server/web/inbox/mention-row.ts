import type { MentionItem, NoticeItem } from '../../../core/home-feed/types.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'

const kinds = { message: 'in', post: 'in the post', comment: 'in a comment on' } as const

export const mentionRow = ({ id, kind, by, title, preview, at, page }: MentionItem): Html =>
  html`<li id="${id}"><p class="main"><a href="${page}"><bdi>${by.name}</bdi> ${kinds[kind]} <bdi>${title}</bdi></a>
${preview !== null && html`<br><bdi>${preview}</bdi>`}<br><small>${dateTime(at)}</small></p>
<button class="quiet" data-call="POST /api/inbox/read" data-json="${JSON.stringify({ ids: [id] })}">Mark as read<span \
class="unseen"> what ${by.name} wrote ${kinds[kind]} ${title}</span></button></li>
`

const happened: Record<NoticeItem['kind'], (title: Html) => Html> = {
  card: (title) => html`assigned you the card ${title}`,
  ask: (title) => html`assigned you ${title}`,
  comment: (title) => html`commented on ${title}`,
  reply: (title) => html`replied in ${title}`,
  direct: () => html`sent you a message`,
  answer: (title) => html`answered ${title}`,
  removed: (title) => html`removed you from ${title}`,
}

export function noticeRow({ ids, kind, by, title, preview, at, page }: NoticeItem): Html {
  const what = html`<bdi>${by.name}</bdi> ${happened[kind](html`<bdi>${title}</bdi>`)}`
  const others = ids.length - 1
  return html`<li id="notice-${ids[0]}"><p class="main"><a href="${page}">${what}</a>
${others > 0 && html`<small>and ${others} earlier</small>`}
${preview !== null && html`<br><bdi>${preview}</bdi>`}<br><small>${dateTime(at)}</small></p>
<button class="quiet" data-call="POST /v1/inbox/read" data-json="${JSON.stringify({ ids })}">Mark as read<span \
class="unseen">: ${what}</span></button></li>
`
}
