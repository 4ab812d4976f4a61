import type { DocumentRecord } from '../../data/tables/documents.ts'
import { largeTextBytes } from '../markdown/index.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { HtmlCache } from './html-cache.ts'

interface PrerendererDeps {
  rendering: Pick<DocumentRenderer, 'prerender'>
  stored: Pick<HtmlCache, 'missing' | 'save'>
  /** Null if it no longer exists. */
  find: (id: string) => DocumentRecord | null
}

/** How often renderings are saved, if no write does. */
const savedTogether = 20

/**
 * Renders long documents after their writes, one at a time, since parsing 100 kB takes longer than a page may. At a
 * start it renders those that this program has not rendered.
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

  enqueue({ id, bytes, deletedMs }: DocumentRecord): void {
    if (bytes < largeTextBytes || deletedMs !== null) return
    this.written.add(id)
    this.wake()
  }

  /** Starts nothing more; running jobs end with the workers. */
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
      // The page reports a problem with the file.
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
