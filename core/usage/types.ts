import type { MemberType, WorkspaceRole } from '../access/member.ts'

export interface DayUsage {
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
  writesIn7Days: number
  writesIn30Days: number
}

export interface ProjectUsage {
  slug: string
  isArchived: boolean
  documents: number
  documentBytes: number
  revisions: number
  /** Before compression. */
  revisionBytes: number
  files: number
  fileBytes: number
  hasMoreFiles: boolean
}

export interface AgentUsage {
  id: string
  name: string
  deliveries: Record<string, number>
  failures: number
  /** When the first of the current failures occurred, Unix milliseconds. */
  failingSinceMs: number | null
}

export interface UsageReport {
  workspaceName: string
  atMs: number
  members: MemberUsage[]
  /** 30 days, latest first. */
  days: DayUsage[]
  projects: ProjectUsage[]
  roomFiles: { count: number; bytes: number }
  databaseBytes: number
  events: Record<string, number>
  agents: AgentUsage[]
  mail: { waiting: number; failed: number }
}
