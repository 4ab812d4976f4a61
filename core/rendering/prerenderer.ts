import type { DocumentRecord } from '../../data/tables/documents.ts'
import { largeTextBytes } from '../markdown/index.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { HtmlCache } from './html-cache.ts'

interface PrerendererDeps {
  rendering: Pick<DocumentRenderer, 'prerender'>
  stored: Pick<HtmlCache, 'missing' | 'save'>
  /** The document as it stands; null once it is gone. */
  find: (id: string) => DocumentRecord | null
}

/** After so many what was rendered is saved, where no write takes it along. */
const savedTogether = 20

/**
 * Renders long documents behind their writes, one at a time, so that whoever opens the page does not wait for a parse:
 * that of 100 kB takes longer than a page may. At a start it sees to those that this program has not rendered yet.
 */
export class Prerenderer {
  private readonly deps: PrerendererDeps
  private readonly written = new Set<string>()
  /** Of the start; the next one last. */
  private left: string[] = []
  private running: Promise<void> | null = null

  constructor(deps: PrerendererDeps) {
    this.deps = deps
  }

  start(): void {
    this.left = this.deps.stored.missing()
    this.wake()
  }

  /** Hears that a document was written. */
  enqueue({ id, bytes, deletedMs }: DocumentRecord): void {
    if (bytes < largeTextBytes || deletedMs !== null) return
    this.written.add(id)
    this.wake()
  }

  /** Nothing more is begun; what is under way ends with the threads. */
  stop(): void {
    this.written.clear()
    this.left = []
  }

  private wake(): void {
    if (this.written.size + this.left.length === 0) return
    this.running ??= this.run().finally(() => {
      this.running = null
    })
  }

  private async run(): Promise<void> {
    const { rendering, stored, find } = this.deps
    let count = 0
    for (let id = this.next(); id !== undefined; id = this.next()) {
      const record = find(id)
      // Whoever opens the page is told what is wrong with it.
      if (record) await rendering.prerender(record).catch(() => {})
      if (++count % savedTogether === 0) await stored.save()
    }
  }

  private next(): string | undefined {
    const [written] = this.written
    if (written === undefined) return this.left.pop()
    this.written.delete(written)
    return written
  }
}
