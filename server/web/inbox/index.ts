import { newRoutes, type Routes } from '../../context.ts'
import { html } from '../html.ts'
import type { PageDeps } from '../signed-in.ts'
import { mentionRow } from './mention-row.ts'

const maxMentions = 100

export const inboxPages = ({
  workspace: {
    inbox: { homeFeed: news },
  },
  page,
}: PageDeps): Routes =>
  newRoutes()
    .purpose('Page: mentions that you have not read')
    .get(
      '/inbox',
      page((_, { caller }) => {
        const mentions = news.mentions(caller, maxMentions)
        return {
          title: 'Inbox',
          content: html`<div id="inbox" data-live>
<div class="page-head"><h1>Inbox</h1>
${mentions.length > 0 && html`<button class="second" data-call="POST /api/inbox/read" data-json="{}" data-say="All mentions marked as read.">Mark all as read</button>`}
</div>
${
  mentions.length > 0
    ? html`<ul class="rows">${mentions.map(mentionRow)}</ul>`
    : html`<div class="empty"><p>No unread mentions.</p>
<p>Mentions of you appear here until you read them.</p></div>`
}
</div>`,
          follows: { events: ['*'], touches: [`member:${caller.member.id}`] },
        }
      }),
    )
