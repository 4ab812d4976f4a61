import type { MemberType, WorkspaceRole } from '../access/member.ts'

/** UTC. */
export interface DayUsage {
  /** Unix milliseconds. */
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
  /** Including today. */
  writesIn7Days: number
  /** Including today. */
  writesIn30Days: number
}

export interface ProjectUsage {
  slug: string
  isArchived: boolean
  documents: number
  documentBytes: number
  revisions: number
  /** Uncompressed. */
  revisionBytes: number
  /** Uploads and attachments. */
  files: number
  fileBytes: number
  /** The count was stopped. */
  hasMoreFiles: boolean
}

export interface AgentUsage {
  id: string
  name: string
  /** By state. */
  deliveries: Record<string, number>
  /** Consecutive failed deliveries. */
  failures: number
  /** The time of the first of them, Unix milliseconds. */
  failingSinceMs: number | null
}

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
  /** With a webhook. */
  agents: AgentUsage[]
  mail: { waiting: number; failed: number }
}
