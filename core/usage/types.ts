import type { MemberType, WorkspaceRole } from '../access/member.ts'

/** What was written on one day, UTC. */
export interface DayUsage {
  /** When it begins, Unix milliseconds. */
  startMs: number
  documents: number
  messages: number
  comments: number
}

export interface MemberUsage {
  name: string
  type: MemberType
  role: WorkspaceRole
  isActive: boolean
  /** Unix milliseconds; null: never. */
  lastUsedMs: number | null
  /** Today and the six days before it. */
  writesIn7Days: number
  /** Today and the 29 days before it. */
  writesIn30Days: number
}

export interface ProjectUsage {
  slug: string
  isArchived: boolean
  documents: number
  documentBytes: number
  revisions: number
  /** Before they are compressed. */
  revisionBytes: number
  /** Uploaded, and attached to posts. */
  files: number
  fileBytes: number
  /** There are more files than were counted. */
  hasMoreFiles: boolean
}

export interface AgentUsage {
  id: string
  name: string
  /** Deliveries by state. */
  deliveries: Record<string, number>
  /** Deliveries in a row that have failed. */
  failures: number
  /** When the first of them failed, Unix milliseconds; null: there is none. */
  failingSinceMs: number | null
}

/** What is done in a workspace and what it takes. */
export interface UsageReport {
  workspaceName: string
  /** Unix milliseconds. */
  atMs: number
  members: MemberUsage[]
  /** 30 days, the latest first. */
  days: DayUsage[]
  projects: ProjectUsage[]
  databaseBytes: number
  /** Of the same days, by type. */
  events: Record<string, number>
  /** Those that have a webhook. */
  agents: AgentUsage[]
  mail: { waiting: number; failed: number }
}
