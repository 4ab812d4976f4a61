import type { CountsQueries } from '../../data/tables/counts.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { LiveEvents } from '../events/live-events.ts'
import type { Health } from '../health/index.ts'
import { writeKinds } from '../health/write-health.ts'
import type { LiveDocuments } from '../live/live-documents.ts'
import type { MarkdownService } from '../markdown/index.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export interface Metric {
  /** A Prometheus name that ends with the unit. */
  name: string
  help: string
  /** Always the same series. */
  values: { labels?: Record<string, string>; value: number }[]
}

interface MetricsDeps {
  catalogue: Catalogue
  skipped: () => readonly unknown[]
  health: Health
  live: Pick<LiveDocuments, 'counts'>
  liveEvents: LiveEvents
  markdown: MarkdownService
  measures: CountsQueries
  members: MemberStore
  projects: ProjectStore
}

const states = ['pending', 'delivered', 'failed', 'cancelled', 'held'] as const
const kinds = ['home', 'post', 'document', 'card'] as const

export function collectMetrics(deps: MetricsDeps): Metric[] {
  const { health, liveEvents, measures, skipped } = deps
  return [
    ...contentMetrics(deps),
    metric('workroom_events_held', 'Requests that wait for events', liveEvents.waiterCount),
    ...editingMetrics(deps),
    ...parserMetrics(deps),
    ...sendingMetrics(deps),
    metric('workroom_database_bytes', 'Size of the database', measures.databaseBytes()),
    ...healthMetrics(health),
    metric('workroom_files_skipped', 'Files on the disk that are left alone', skipped().length),
  ]
}

const metric = (name: string, help: string, value: number): Metric => ({ name, help, values: [{ value }] })

function contentMetrics({ catalogue, members, projects }: MetricsDeps): Metric[] {
  const all = projects.all()
  const people = members.active()
  return [
    {
      name: 'workroom_documents',
      help: 'Documents by kind',
      values: Object.entries(countsByKind(all, catalogue)).map(([kind, value]) => ({
        labels: { kind },
        value,
      })),
    },
    metric('workroom_projects', 'Projects', all.length),
    {
      name: 'workroom_members',
      help: 'Active members by type',
      values: (['human', 'agent'] as const).map((type) => ({
        labels: { type },
        value: people.filter((member) => member.type === type).length,
      })),
    },
  ]
}

function editingMetrics({ live }: MetricsDeps): Metric[] {
  const editing = live.counts
  return [
    metric('workroom_live_documents', 'Open live texts', editing.documents),
    metric('workroom_live_editors', 'Connected editors', editing.editors),
    metric('workroom_live_unsaved', 'Live texts with changes that are not saved yet', editing.unsaved),
    metric(
      'workroom_live_unsaved_seconds',
      'How long the oldest of these changes has waited',
      editing.unsavedMs / 1000,
    ),
  ]
}

const parserMetrics = ({ markdown }: MetricsDeps): Metric[] => [
  metric('workroom_parser_running', 'Markdown files being parsed', markdown.running()),
  metric('workroom_parser_waiting', 'Markdown files waiting to be parsed', markdown.waiting()),
  metric(
    'workroom_parser_over_budget',
    'Parses aborted since the start because they took too long',
    markdown.overBudget(),
  ),
]

function sendingMetrics({ measures }: MetricsDeps): Metric[] {
  const deliveries = measures.deliveries()
  return [
    {
      name: 'workroom_deliveries',
      help: 'Stored webhook deliveries, by state',
      values: states.map((state) => ({ labels: { state }, value: deliveries.get(state) ?? 0 })),
    },
    metric('workroom_mail_waiting', 'Mail that is not sent yet', measures.queuedMail()),
  ]
}

const healthMetrics = (health: Health): Metric[] => [
  metric('workroom_problems', 'Problems reported by GET /healthz; 0 is healthy', health.problems().length),
  {
    name: 'workroom_writes_failing',
    help: 'Whether the last write of a kind has failed',
    values: writeKinds.map((kind) => ({ labels: { kind }, value: health.writes.isFailing(kind) ? 1 : 0 })),
  },
  {
    name: 'workroom_write_failures',
    help: 'Writes that have failed since the start, by kind',
    values: writeKinds.map((kind) => ({ labels: { kind }, value: health.writes.count(kind) })),
  },
]

/** The catalogue indexes drafts by author: here they are the rest of all documents. */
function countsByKind(projects: readonly Project[], catalogue: Catalogue): Record<string, number> {
  const sum = (count: (projectId: string) => number) =>
    projects.reduce((total, { id }) => total + count(id), 0)
  const counts = kinds.map((kind): [string, number] => [kind, sum((id) => catalogue.countOfKind(id, kind))])
  const drafts = counts.reduce(
    (rest, [, count]) => rest - count,
    sum((id) => catalogue.countInProject(id)),
  )
  return Object.fromEntries([...counts, ['draft', drafts]])
}
