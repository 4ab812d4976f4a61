import { memberPagePath, projectPagePath } from '../../../core/paths.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import type {
  AgentUsage,
  DayUsage,
  MemberUsage,
  ProjectUsage,
  UsageReport,
} from '../../../core/usage/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime, day } from '../dates.ts'
import { type Html, type HtmlValue, html } from '../html.ts'

export const usagePages = (
  { people: { usage } }: Pick<Workspace, 'people'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: the usage report, for owners and admins')
    .get(
      '/usage',
      page(async (_, { caller }) => ({
        title: 'Usage',
        content: reportPage(await usage.report(caller)),
        follows: { events: ['*'], topics: ['workspace'] },
      })),
    )

function reportPage({
  atMs,
  members,
  days,
  projects,
  roomFiles,
  databaseBytes,
  events,
  agents,
  mail,
}: UsageReport): Html {
  const busyDays = days.filter(({ documents, messages, comments }) => documents + messages + comments > 0)
  return html`<h1>Usage</h1>
<div id="usage" data-live>
<p class="hint before">As of ${dateTime(atMs)}. The database takes up ${formatBytes(databaseBytes)}, and files in rooms \
${formatBytes(roomFiles.bytes)}.</p>
<div class="stack">
${table('Members', ['Name', 'Role', 'Last active', 'Writes, 7 days', 'Writes, 30 days'], members.map(memberCells))}
${table('Projects', ['Project', 'Documents', 'Size', 'Revisions', 'Size', 'Files', 'Size'], projects.map(projectCells))}
${agents.length > 0 && table('Webhooks', ['Agent', 'Deliveries', 'Failing since'], agents.map(agentCells))}
${table('Events in the last 30 days', ['Type', 'Count'], Object.entries(events))}
${table('Writes in the last 30 days', ['Day', 'Documents', 'Messages', 'Comments'], busyDays.map(dayCells))}
<section aria-labelledby="mail"><h2 id="mail">Email</h2>
<p>${mail.waiting} waiting, ${mail.failed} failed.</p></section>
</div>
</div>`
}

/** Scrolls by itself on narrow screens, also by keyboard. */
const table = (
  title: string,
  heads: readonly string[],
  rows: readonly (readonly HtmlValue[])[],
): Html => html`<section><h2>${title}</h2>
${rows.length === 0 ? html`<p class="hint">None.</p>` : filled(title, heads, rows)}</section>`

const filled = (title: string, heads: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html =>
  html`<div class="scroller" tabindex="0" role="region" aria-label="${title}">
<table class="plain figures"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table>
</div>`

const memberCells = ({
  name,
  type,
  role,
  isActive,
  lastUsedMs,
  writesIn7Days,
  writesIn30Days,
}: MemberUsage) => [
  html`<bdi>${name}</bdi>${type === 'agent' && html` <span class="tag">agent</span>`}${
    !isActive && html` <span class="tag danger">deactivated</span>`
  }`,
  role,
  lastUsedMs === null ? 'never' : dateTime(lastUsedMs),
  writesIn7Days,
  writesIn30Days,
]

const projectCells = (project: ProjectUsage) => [
  html`<a href="${projectPagePath(project)}"><bdi>${project.slug}</bdi></a>${
    project.isArchived && html` <span class="tag">archived</span>`
  }`,
  project.documents,
  formatBytes(project.documentBytes),
  project.revisions,
  formatBytes(project.revisionBytes),
  `${project.files}${project.hasMoreFiles ? ' and more' : ''}`,
  formatBytes(project.fileBytes),
]

const agentCells = ({ id, name, deliveries, failingSinceMs }: AgentUsage) => [
  html`<a href="${memberPagePath(id)}"><bdi>${name}</bdi></a>`,
  Object.entries(deliveries)
    .map(([state, count]) => `${count} ${state}`)
    .join(', '),
  failingSinceMs !== null && dateTime(failingSinceMs),
]

const dayCells = ({ startMs, documents, messages, comments }: DayUsage) => [
  day(startMs),
  documents,
  messages,
  comments,
]
