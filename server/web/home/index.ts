import type { Member } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import type { AskItem, DueItem, HomeFeedItems, WriteItem } from '../../../core/home-feed/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { SidebarRoom } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import { introductionForPrograms } from '../../introduction.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { dueDate } from '../board/due.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { mentionRow } from '../inbox/mention-row.ts'
import { kindNames } from '../kind-names.ts'
import { redirect } from '../pages.ts'
import { readerDay, timeReaderOf } from '../reader-times.ts'
import { firstSteps, newcomerSteps } from './first-steps.ts'

const maxMentions = 5

/** The rest is folded. */
const maxWrites = 8

export const homeRoutes = (
  workspace: Pick<Workspace, 'clock' | 'directory' | 'identity' | 'inbox' | 'rooms'>,
  {
    page,
    pages,
    browserSessions,
    publicUrl,
  }: Pick<ServerParts, 'page' | 'pages' | 'browserSessions' | 'publicUrl'>,
): Routes =>
  newRoutes()
    .purpose('Page: what is new, and what needs your attention')
    .get(
      '/',
      introductionForPrograms(publicUrl),
      page((ctx, { caller }) => ({
        title: 'Home',
        content: html`<h1>Hello, <bdi>${caller.member.name}</bdi></h1>
<div class="stack" id="home-feed" data-live>
${
  needsFirstSteps(workspace, caller.member) &&
  firstSteps({
    owner: caller.member,
    workspaceName: workspace.identity.name,
    project: workspace.directory.projects.readableBy(caller.member)[0],
    baseUrl: publicUrl,
  })
}
${newcomerSteps(workspace, caller)}
${feedSections(workspace.inbox.homeFeed.feedFor(caller), {
  isQuiet: needsFirstSteps(workspace, caller.member),
  nowMs: workspace.clock.now(),
  today: readerDay(timeReaderOf(ctx, workspace)),
})}
</div>`,
        follows: { events: ['*'], topics: ['workspace', `member:${caller.member.id}`] },
      })),
    )
    .purpose('The navigation alone, for an open page')
    .get('/navigation', (ctx) => {
      const session = browserSessions.find(ctx)
      if (!session) return redirect(ctx, '/signin')
      pages.showNavigation(ctx, session, queryText(ctx, 'at') ?? '/')
    })

const needsFirstSteps = ({ directory: { members } }: Pick<Workspace, 'directory'>, reader: Member): boolean =>
  isAdmin(reader) && members.active().length === 1

function feedSections(
  { mentions, mentionCount, asks, due, writes, rooms }: HomeFeedItems,
  { isQuiet, nowMs, today }: { isQuiet: boolean; nowMs: number; today: string },
): Html {
  const isLate = (card: DueItem) => card.due.slice(0, 10) < today
  return html`${part(
    'mentions',
    'Mentions',
    mentions.slice(0, maxMentions).map(mentionRow),
    mentionCount > maxMentions &&
      html`<p><a href="/inbox">All ${mentionCount >= 100 ? '100+' : mentionCount} in your inbox</a></p>`,
  )}
${part('asks', 'Asks for you', asks.map(askRow))}
${part(
  'overdue',
  'Overdue',
  due.filter(isLate).map((card) => dueRow(card, nowMs)),
)}
${part(
  'due',
  'Due soon',
  due.filter((card) => !isLate(card)).map((card) => dueRow(card, nowMs)),
)}
${part('rooms', 'Unread in rooms', rooms.map(roomRow))}
${part('written', 'New in your projects', writes.slice(0, maxWrites).map(writeRow), olderWrites(writes.slice(maxWrites)))}
${
  mentions.length + asks.length + due.length + rooms.length + writes.length === 0 &&
  !isQuiet &&
  html`<div class="empty"><p>You’re all caught up.</p>
<p>Mentions, asks and changes in your projects appear here.</p></div>`
}`
}

const part = (id: string, title: string, rows: readonly Html[], more?: Html | false): Html | false =>
  rows.length > 0 &&
  html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
<ul class="rows">
${rows}</ul>
${more}
</section>`

const reasonText = { claimed: 'claimed by you', assigned: 'for you', question: 'a question' } as const

const askRow = (ask: AskItem): Html =>
  html`<li id="${ask.id}"><p class="main"><a href="${projectPagePath(ask.project, 'asks')}#${ask.id}"><bdi>${ask.title}</bdi></a><br>
<small><bdi>${ask.askedBy}</bdi> in <bdi>${ask.project.name}</bdi></small></p><span class="tag">${reasonText[ask.why]}</span></li>
`

const dueRow = ({ id, number, title, due, project, page }: DueItem, nowMs: number): Html =>
  html`<li id="due-${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a><br>
<small>Card ${number} in <bdi>${project.name}</bdi></small></p>${dueDate(due, nowMs)}</li>
`

const roomRow = ({ id, name, path, unread, mentions }: SidebarRoom): Html =>
  html`<li id="unread-${id}"><p class="main"><a href="${path}"><bdi>${name}</bdi></a></p>
<small>${unread >= 100 ? '100+' : unread} unread${mentions > 0 && `, ${mentions} for you`}</small></li>
`

const olderWrites = (writes: readonly WriteItem[]): Html | false =>
  writes.length > 0 &&
  html`<details class="fold" id="older-writes"><summary>${writes.length} more from the last week</summary>
<ul class="rows">
${writes.map(writeRow)}</ul></details>`

const writeRow = ({ id, kind, title, isNew, by, at, project, page }: WriteItem): Html =>
  html`<li id="new-${id}"><p class="main"><a href="${page}"><bdi>${title}</bdi></a> <span \
class="tag">${isNew ? 'new ' : ''}${kindNames[kind]}</span><br>
<small><bdi>${by.name}</bdi> in <bdi>${project.name}</bdi> · ${dateTime(at)}</small></p></li>
`
