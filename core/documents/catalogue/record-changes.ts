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
  recent: RecordChange[]
}

export class RecordChanges {
  private readonly projects = new Map<string, ProjectChanges>()

  add(projectId: string, change: RecordChange): void {
    const changes = this.projects.get(projectId) ?? { count: 0, recent: [] }
    this.projects.set(projectId, changes)
    changes.count += 1
    changes.recent.push(change)
    if (changes.recent.length >= 2 * maxRemembered) changes.recent.splice(0, maxRemembered)
  }

  count(projectId: string): number {
    return this.projects.get(projectId)?.count ?? 0
  }

  /** Returns the changes after the first `count`; null if there are too many. */
  since(projectId: string, count: number): RecordChange[] | null {
    const { count: now, recent } = this.projects.get(projectId) ?? { count: 0, recent: [] }
    const newCount = now - count
    if (newCount === 0) return []
    return newCount > Math.min(maxRemembered, recent.length) ? null : recent.slice(-newCount)
  }
}
