import type { Project } from '../access/project.ts'
import type { SkillPublisher } from './skill-publisher.ts'

/** Several files are often saved one after another; they become one version. */
const pauseMs = 500
/** For edits that never pause. */
const maxWaitMs = 5000

interface PendingEdit {
  sinceMs: number
  timer: NodeJS.Timeout
}

/** Turns edits on the disk into versions before anybody reads them, so that they are announced. */
export class SkillEdits {
  /** By project id. */
  private readonly pendingEdits = new Map<string, PendingEdit>()
  private ingesting = Promise.resolve()
  private isStopped = false

  constructor(
    private readonly deps: {
      publisher: Pick<SkillPublisher, 'reconcileAll'>
      onProblem: (message: string, error: unknown) => void
    },
  ) {}

  enqueue(project: Project): void {
    if (this.isStopped) return
    const nowMs = performance.now()
    const { sinceMs, timer } = this.pendingEdits.get(project.id) ?? { sinceMs: nowMs }
    clearTimeout(timer)
    const waitMs = Math.max(0, Math.min(pauseMs, sinceMs + maxWaitMs - nowMs))
    const next = setTimeout(() => this.ingest(project), waitMs).unref()
    this.pendingEdits.set(project.id, { sinceMs, timer: next })
  }

  /** Edits that are no version yet become one when they are read. */
  async stop(): Promise<void> {
    this.isStopped = true
    for (const { timer } of this.pendingEdits.values()) clearTimeout(timer)
    await this.ingesting
  }

  private ingest(project: Project): void {
    this.pendingEdits.delete(project.id)
    const { publisher, onProblem } = this.deps
    this.ingesting = this.ingesting
      .then(() => publisher.reconcileAll(project))
      .catch((error) =>
        onProblem(
          'Skills edited on the disk could not be read; this is tried again when someone reads them',
          error,
        ),
      )
  }
}
