import type { DocumentRecord } from '../../data/tables/documents.ts'
import { largeTextBytes } from '../markdown/index.ts'
import type { DocumentRenderer } from './document-renderer.ts'

interface PrerendererDeps {
  rendering: Pick<DocumentRenderer, 'prerender'>
  find: (id: string) => DocumentRecord | null
}

/** Renders long documents after writes, one at a time: parsing 100 kB takes longer than a page may. */
export class Prerenderer {
  private readonly queue = new Set<string>()
  private isRunning = false

  constructor(private readonly deps: PrerendererDeps) {}

  enqueue({ id, bytes, deletedMs }: DocumentRecord): void {
    if (bytes < largeTextBytes || deletedMs !== null) return
    this.queue.add(id)
    if (!this.isRunning) void this.run()
  }

  /** Starts nothing more; running jobs end with the workers. */
  stop(): void {
    this.queue.clear()
  }

  private async run(): Promise<void> {
    this.isRunning = true
    // The iteration includes what is added meanwhile.
    for (const id of this.queue) {
      this.queue.delete(id)
      const record = this.deps.find(id)
      // The page reports a problem with the file.
      if (record) await this.deps.rendering.prerender(record).catch(() => {})
    }
    this.isRunning = false
  }
}
