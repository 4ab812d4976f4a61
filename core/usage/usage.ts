import { setImmediate as pause } from 'node:timers/promises'
import type { RoomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import type { UsageTables } from '../../data/tables/usage.ts'
import { type FolderEntry, scanFolders, type Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { requireAdministration } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import type { AgentUsage, DayUsage, MemberUsage, ProjectUsage, UsageReport } from './types.ts'

interface UsageDeps {
  usage: UsageTables
  roomAttachments: Pick<RoomAttachmentsTable, 'total'>
  catalogue: Catalogue
  members: MemberStore
  projects: ProjectStore
  tree: Tree
  clock: Clock
  identity: { readonly name: string }
}

const dayMs = 24 * 60 * 60 * 1000
const days = 30
const week = 7

const documentsPerTurn = 200

/** The period of events counted in one turn. */
const eventsSliceMs = dayMs / 8

const kinds = ['documents', 'messages', 'comments'] as const

export class Usage {
  private runningReport: Promise<UsageReport> | null = null

  constructor(private readonly deps: UsageDeps) {}

  /** Concurrent callers share one report. */
  report(caller: Caller): Promise<UsageReport> {
    requireAdministration(caller)
    this.runningReport ??= this.count().finally(() => {
      this.runningReport = null
    })
    return this.runningReport
  }

  private async count(): Promise<UsageReport> {
    const { clock, identity, roomAttachments, usage } = this.deps
    const atMs = clock.now()
    const today = Math.floor(atMs / dayMs)
    const writes = await this.writes(today)
    return {
      workspaceName: identity.name,
      atMs,
      members: this.members(writes),
      days: writes.days,
      projects: await this.projects(),
      roomFiles: roomAttachments.total(),
      databaseBytes: usage.databaseBytes(),
      events: await this.events(today),
      agents: await this.agents(),
      mail: usage.outbox(),
    }
  }

  private async writes(today: number) {
    const perDay: DayUsage[] = []
    const in7Days = new Map<string, number>()
    const in30Days = new Map<string, number>()
    for (let day = today; day > today - days; day--) {
      const startMs = day * dayMs
      const counts = { startMs, documents: 0, messages: 0, comments: 0 }
      for (const kind of kinds) {
        for (const { memberId, count } of this.deps.usage.writes(kind, startMs, startMs + dayMs)) {
          counts[kind] += count
          add(in30Days, memberId, count)
          if (day > today - week) add(in7Days, memberId, count)
        }
        await pause()
      }
      perDay.push(counts)
    }
    return { days: perDay, in7Days, in30Days }
  }

  /** Active members, and former ones who wrote in the last 30 days. */
  private members({ in7Days, in30Days }: Record<'in7Days' | 'in30Days', Map<string, number>>): MemberUsage[] {
    const { members } = this.deps
    return members
      .all()
      .filter(({ id, status }) => status === 'active' || in30Days.has(id))
      .map(({ id, name, type, role, status }) => ({
        name,
        type,
        role,
        isActive: status === 'active',
        lastUsedMs: latestOf(members.keys(id).map(({ lastUsedMs }) => lastUsedMs)),
        writesIn7Days: in7Days.get(id) ?? 0,
        writesIn30Days: in30Days.get(id) ?? 0,
      }))
  }

  private async projects(): Promise<ProjectUsage[]> {
    const revisions = await this.revisions()
    const rows: ProjectUsage[] = []
    for (const project of this.deps.projects.all()) rows.push(await this.project(project, revisions))
    return rows
  }

  private async project(project: Project, revisions: Map<string, Size>): Promise<ProjectUsage> {
    const { catalogue, tree } = this.deps
    const records = catalogue.inProject(project.id)
    await pause()
    const stored = revisions.get(project.id) ?? { count: 0, bytes: 0 }
    const uploaded = await uploadedSize(tree, project)
    return {
      slug: project.slug,
      isArchived: project.archivedMs !== null,
      documents: records.length,
      documentBytes: records.reduce((total, { bytes }) => total + bytes, 0),
      revisions: stored.count,
      revisionBytes: stored.bytes,
      files: uploaded.count,
      fileBytes: uploaded.bytes,
      hasMoreFiles: uploaded.isCut,
    }
  }

  /** By project id, including revisions of deleted documents. */
  private async revisions(): Promise<Map<string, Size>> {
    const { catalogue, usage } = this.deps
    const sizes = new Map<string, Size>()
    for (let afterId = ''; ; ) {
      const rows = usage.revisionSizes(afterId, documentsPerTurn)
      for (const { documentId, count, bytes } of rows) {
        const projectId = catalogue.find(documentId)?.projectId ?? usage.projectOf(documentId)
        const size = sizes.get(projectId) ?? { count: 0, bytes: 0 }
        sizes.set(projectId, { count: size.count + count, bytes: size.bytes + bytes })
      }
      if (rows.length < documentsPerTurn) return sizes
      afterId = rows.at(-1)!.documentId
      await pause()
    }
  }

  private async events(today: number): Promise<Record<string, number>> {
    const counts = new Map<string, number>()
    const fromMs = (today - days + 1) * dayMs
    const untilMs = (today + 1) * dayMs
    for (let startMs = fromMs; startMs < untilMs; startMs += eventsSliceMs) {
      const rows = this.deps.usage.events(startMs * 1000, (startMs + eventsSliceMs) * 1000)
      for (const { type, count } of rows) add(counts, type, count)
      await pause()
    }
    return Object.fromEntries(counts)
  }

  private async agents(): Promise<AgentUsage[]> {
    const { members, usage } = this.deps
    const agents: AgentUsage[] = []
    for (const { memberId, failures, failingSinceMs } of usage.webhooks()) {
      const counts = usage.deliveries(memberId).map(({ state, count }) => [state, count] as const)
      const { name } = members.find(memberId)!
      agents.push({ id: memberId, name, deliveries: Object.fromEntries(counts), failures, failingSinceMs })
      await pause()
    }
    return agents
  }
}

interface Size {
  count: number
  bytes: number
}

const add = (counts: Map<string, number>, key: string, count: number) =>
  counts.set(key, (counts.get(key) ?? 0) + count)

const latestOf = (times: (number | null)[]): number | null =>
  times.reduce((last, ms) => (last === null || (ms !== null && ms > last) ? ms : last), null)

/** The count of a project stops here. */
const maxFiles = 20_000

const uploadFolders = ['files', 'attachments']

const countLimitReached = Symbol('enough')

async function uploadedSize(
  tree: Tree,
  project: Pick<Project, 'folder'>,
): Promise<{ count: number; bytes: number; isCut: boolean }> {
  let count = 0
  let bytes = 0
  const addUp = (_folder: string, entries: FolderEntry[]) => {
    for (const { stat } of entries) {
      if (stat.kind !== 'file') continue
      if (count === maxFiles) throw countLimitReached
      count += 1
      bytes += stat.stamp.size
    }
  }
  const roots = uploadFolders.map((folder) => pathInHome(project, folder))
  const isCut = await scanFolders(tree, roots, addUp).then(
    () => false,
    (error) => {
      if (error === countLimitReached) return true
      throw error
    },
  )
  return { count, bytes, isCut }
}
