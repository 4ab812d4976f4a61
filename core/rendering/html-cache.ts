import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/database.ts'
import { programVersion } from '../../data/program.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { RenderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import { PendingWork } from '../concurrency/pending-work.ts'
import type { Html } from '../markdown/index.ts'

const deflate = promisify(deflateRaw)

const cacheBytes = 48 * 1024 * 1024

/**
 * HTML of documents and their parts. That of long documents is stored as well: parsing 100 kB takes longer
 * than a page may, also after a restart. HTML of another program version is ignored.
 */
export class HtmlCache {
  private readonly database: Database
  private readonly rows: RenderedDocumentsTable
  private readonly memory = new LRUCache<string, Html>({
    maxSize: cacheBytes,
    sizeCalculation: ({ parts, slots, outline }, key) =>
      key.length + parts.reduce((total, { length }) => total + length, 200 * (slots.length + outline.length)),
  })
  private readonly rendering = new Map<string, Promise<Html>>()
  private readonly storing = new PendingWork()

  constructor(parts: { database: Database; renderedDocuments: RenderedDocumentsTable }) {
    this.database = parts.database
    this.rows = parts.renderedDocuments
  }

  /** @param source everything that the HTML depends on besides the program @param record to store it for */
  async html(source: string, render: () => Promise<Html>, record?: DocumentRecord): Promise<Html> {
    const cached = this.memory.get(source) ?? this.rendering.get(source)
    if (cached) return cached
    const stored = record && this.find(record, source)
    if (stored) {
      this.memory.set(source, stored)
      return stored
    }
    const rendering = render()
      .then((html) => {
        this.memory.set(source, html)
        if (record) this.store(record, source, html)
        return html
      })
      .finally(() => this.rendering.delete(source))
    this.rendering.set(source, rendering)
    return rendering
  }

  async flush(): Promise<void> {
    await this.storing.ended()
  }

  private find({ id }: DocumentRecord, source: string): Html | undefined {
    const html = this.rows.find({ documentId: id, program: programVersion(), source: hashOf(source) })
    return html && (JSON.parse(inflateRawSync(html).toString()) as Html)
  }

  private store(record: DocumentRecord, source: string, html: Html): void {
    // Without the row, the document is rendered again.
    void this.storing.add(this.put(record, source, html).catch(() => {}))
  }

  private async put({ id, revision }: DocumentRecord, source: string, html: Html): Promise<void> {
    const row = {
      documentId: id,
      revision,
      program: programVersion(),
      source: hashOf(source),
      html: await deflate(JSON.stringify(html)),
    }
    await this.database.commit(() => this.rows.put(row))
  }
}

const hashOf = (source: string): Buffer => createHash('sha256').update(source).digest()
