import { deliveriesPath } from '../paths.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import type { AgentUsage, MemberUsage, ProjectUsage, UsageReport } from './types.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Agents whose deliveries have failed for this long are listed first. */
const attentionAfterMs = 3 * dayMs

const states = ['pending', 'delivered', 'failed', 'cancelled', 'held']

export function usagePage(report: UsageReport): string {
  const { workspaceName, atMs, members, days, projects, roomFiles, databaseBytes, events, agents, mail } =
    report
  const parts = [
    '# Usage',
    `The workspace ${escapeMarkdown(workspaceName)} at ${iso(atMs)}. ` +
      `Days are UTC; what is counted by day covers the last ${days.length}, today among them.`,
    ...attentionList(agents, atMs),
    '## Members',
    table(
      [
        'Member',
        'Type',
        'Role',
        'Last use',
        'Writes a day (7 days)',
        'Writes a day (30 days)',
        'Writes (30 days)',
      ],
      members.map(memberRow),
    ),
    '## Writes per day',
    table(
      ['Day', 'Revisions of files', 'Messages', 'Comments'],
      days.map(({ startMs, documents, messages, comments }) => [
        iso(startMs).slice(0, 10),
        documents,
        messages,
        comments,
      ]),
    ),
    '## Storage',
    table(
      ['Project', 'Documents', 'Size', 'Revisions', 'Size before compression', 'Uploaded files', 'Size'],
      projects.map(projectRow),
    ),
    `Files in rooms: ${roomFiles.count}, ${formatBytes(roomFiles.bytes)}.`,
    `The database takes ${formatBytes(databaseBytes)}; the revisions are in it, compressed.`,
    '## Events',
    Object.keys(events).length === 0
      ? 'No event is in the log.'
      : table(
          ['Type', `In the log of ${days.length} days`],
          Object.entries(events).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        ),
    '## Webhooks',
    agents.length === 0
      ? 'No agent has a webhook.'
      : table(['Agent', ...states.map(capitalize), 'Failed in a row', 'Failing since'], agents.map(agentRow)),
    '## Mail',
    `Mail waiting to be sent: ${mail.waiting}, of which after a failure: ${mail.failed}.`,
  ]
  return `${parts.join('\n\n')}\n`
}

function attentionList(agents: AgentUsage[], atMs: number): string[] {
  const lines = agents
    .filter(({ failingSinceMs }) => failingSinceMs !== null && atMs - failingSinceMs >= attentionAfterMs)
    .map(({ id, name, failingSinceMs }) => {
      const since = Math.floor((atMs - failingSinceMs!) / dayMs)
      return `- **${escapeMarkdown(name)}**: deliveries have failed for ${since} days. \`GET ${deliveriesPath(id)}\` shows why.`
    })
  return lines.length > 0 ? ['## Needs attention', lines.join('\n')] : []
}

const memberRow = (member: MemberUsage) => [
  escapeMarkdown(member.name) + (member.isActive ? '' : ' (deactivated)'),
  member.type,
  member.role,
  member.lastUsedMs === null ? 'never' : iso(member.lastUsedMs),
  perDay(member.writesIn7Days, 7),
  perDay(member.writesIn30Days, 30),
  member.writesIn30Days,
]

const projectRow = (project: ProjectUsage) => [
  `${project.slug}${project.isArchived ? ' (archived)' : ''}`,
  project.documents,
  formatBytes(project.documentBytes),
  project.revisions,
  formatBytes(project.revisionBytes),
  `${project.files}${project.hasMoreFiles ? ' or more' : ''}`,
  `${formatBytes(project.fileBytes)}${project.hasMoreFiles ? ' or more' : ''}`,
]

const agentRow = (agent: AgentUsage) => [
  escapeMarkdown(agent.name),
  ...states.map((state) => agent.deliveries[state] ?? 0),
  agent.failures,
  agent.failingSinceMs === null ? '' : iso(agent.failingSinceMs),
]

const table = (heads: string[], rows: (string | number)[][]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const iso = (ms: number) => new Date(ms).toISOString()

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const perDay = (count: number, days: number) => (count / days).toFixed(1)

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`
}
