import type { Project } from '../access/project.ts'
import type { SkillPublisher } from './skill-publisher.ts'

/** Files of a skill are copied and saved one after another: one version for all. */
const pauseMs = 500
/** For edits that never pause. */
const maxWaitMs = 5000

interface Edited {
  sinceMs: number
  timer: NodeJS.Timeout
}

/** Makes versions of edits on the disk that nobody has asked for yet, so that they are announced as well. */
export class SkillEdits {
  private readonly deps: {
    publishing: Pick<SkillPublisher, 'reconcileAll'>
    onProblem: (message: string, error: unknown) => void
  }
  /** By the project's id. */
  private readonly edited = new Map<string, Edited>()
  private ending = Promise.resolve()
  private isStopped = false

  constructor(deps: SkillEdits['deps']) {
    this.deps = deps
  }

  /** Something has changed in the skills folder of a project. */
  note(project: Project): void {
    if (this.isStopped) return
    const nowMs = performance.now()
    const { sinceMs, timer } = this.edited.get(project.id) ?? { sinceMs: nowMs }
    clearTimeout(timer)
    const waitMs = Math.max(0, Math.min(pauseMs, sinceMs + maxWaitMs - nowMs))
    const next = setTimeout(() => this.ingest(project), waitMs).unref()
    this.edited.set(project.id, { sinceMs, timer: next })
  }

  /** What is not a version yet becomes one when somebody reads it. */
  async stop(): Promise<void> {
    this.isStopped = true
    for (const { timer } of this.edited.values()) clearTimeout(timer)
    await this.ending
  }

  private ingest(project: Project): void {
    this.edited.delete(project.id)
    const { publishing, onProblem } = this.deps
    this.ending = this.ending
      .then(() => publishing.reconcileAll(project))
      .catch((error) =>
        onProblem(
          'Skills edited on the disk could not be read; this is tried again when someone reads them',
          error,
        ),
      )
  }
}
