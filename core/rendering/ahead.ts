import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Rendering } from './rendering.ts'
import { longBytes } from './stored-html.ts'

/** So many wait at most; of a whole folder that is put in place, the latest. */
const mostWaiting = 100

/**
 * Renders long documents behind their writes, one at a time, so that whoever opens the page does not wait for a parse:
 * that of 100 kB takes longer than a page may.
 */
export class RenderingAhead {
  private readonly rendering: Pick<Rendering, 'prepare'>
  /** By id: each as it was written last. */
  private readonly waiting = new Map<string, DocumentRecord>()
  private running: Promise<void> | null = null

  constructor(rendering: Pick<Rendering, 'prepare'>) {
    this.rendering = rendering
  }

  /** Hears that a document stands in its place. @param bytes of its file */
  want(record: DocumentRecord, bytes: number): void {
    this.waiting.delete(record.id)
    if (bytes < longBytes || record.deletedMs !== null) return
    this.waiting.set(record.id, record)
    const [oldest] = this.waiting.keys()
    if (this.waiting.size > mostWaiting) this.waiting.delete(oldest!)
    this.running ??= this.run().finally(() => {
      this.running = null
    })
  }

  /** Nothing more is begun; what is under way ends with the threads. */
  stop(): void {
    this.waiting.clear()
  }

  private async run(): Promise<void> {
    for (const [id, record] of this.waiting) {
      this.waiting.delete(id)
      // Whoever opens the page is told what is wrong with it.
      await this.rendering.prepare(record).catch(() => {})
    }
  }
}
