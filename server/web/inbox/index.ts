import type { Caller } from '../../../core/access/member.ts'
import type { HomeFeed } from '../../../core/home-feed/home-feed.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { type Html, html } from '../html.ts'
import { mentionRow, noticeRow } from './mention-row.ts'

const maxMentions = 100

export const inboxPages = (
  { inbox: { homeFeed } }: Pick<Workspace, 'inbox'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: your unread mentions and notices')
    .get(
      '/inbox',
      page((_, { caller }) => {
        const rows = [...mentionRows(homeFeed, caller), ...noticeRows(homeFeed, caller)]
          .sort((one, other) => other.at - one.at)
          .map(({ row }) => row)
        return {
          title: 'Inbox',
          content: html`<div id="inbox" data-live>
<div class="page-head"><h1>Inbox</h1>
${
  rows.length > 0 &&
  html`<button class="second" data-call="POST /v1/inbox/read" data-json="{}" data-say="All marked as read.">Mark all as read</button>`
}
</div>
${
  rows.length > 0
    ? html`<ul class="rows">${rows}</ul>`
    : html`<div class="empty"><p>You’re all caught up.</p>
<p>Mentions, replies, comments on your posts and what is assigned to you appear here until you read them.</p></div>`
}
</div>`,
          follows: { events: ['*'], topics: [`member:${caller.member.id}`] },
        }
      }),
    )

interface TimedRow {
  at: number
  row: Html
}

const mentionRows = (homeFeed: HomeFeed, caller: Caller): TimedRow[] =>
  homeFeed.mentions(caller, maxMentions).map((mention) => ({ at: mention.at, row: mentionRow(mention) }))

const noticeRows = (homeFeed: HomeFeed, caller: Caller): TimedRow[] =>
  homeFeed.notices(caller, maxMentions).map((notice) => ({ at: notice.at, row: noticeRow(notice) }))
