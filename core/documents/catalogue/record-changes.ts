import type { DocumentRecord } from '../../../data/tables/documents.ts'

/** `before` is null for a new record of the project, `after` for one that left it. */
export interface RecordChange {
  before: DocumentRecord | null
  after: DocumentRecord | null
}

/** Per project. Applying more changes takes longer than sorting from scratch. */
const maxRemembered = 128

interface ProjectChanges {
  count: number
  last: RecordChange[]
}

export class RecordChanges {
  private readonly projects = new Map<string, ProjectChanges>()

  add(projectId: string, change: RecordChange): void {
    const changes = this.projects.get(projectId) ?? { count: 0, last: [] }
    this.projects.set(projectId, changes)
    changes.count += 1
    changes.last.push(change)
    if (changes.last.length >= 2 * maxRemembered) changes.last.splice(0, maxRemembered)
  }

  count(projectId: string): number {
    return this.projects.get(projectId)?.count ?? 0
  }

  /** Returns the changes after the first `count`; null if there are too many. */
  since(projectId: string, count: number): RecordChange[] | null {
    const { count: now, last } = this.projects.get(projectId) ?? { count: 0, last: [] }
    const missing = now - count
    if (missing === 0) return []
    return missing > Math.min(maxRemembered, last.length) ? null : last.slice(-missing)
  }
}
