import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import type { Database } from '../../data/database.ts'
import { programVersion } from '../../data/program.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { RenderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import type { Html } from '../markdown/index.ts'

const deflate = promisify(deflateRaw)

/**
 * Stores the HTML of long documents: parsing 100 kB takes longer than a page may, also after a restart. HTML of
 * another program version is ignored.
 */
export class HtmlCache {
  private readonly database: Database
  private readonly rows: RenderedDocumentsTable
  private readonly underway = new Set<Promise<void>>()

  constructor(parts: { database: Database; renderedDocuments: RenderedDocumentsTable }) {
    this.database = parts.database
    this.rows = parts.renderedDocuments
  }

  /** @param source identifies everything that the HTML depends on, besides the program */
  find({ id }: DocumentRecord, source: string): Html | undefined {
    const html = this.rows.find({ documentId: id, program: programVersion(), source: hashOf(source) })
    return html && (JSON.parse(inflateRawSync(html).toString()) as Html)
  }

  /** Stores the HTML of a document's newest revision. Without it, the document is rendered again. */
  put(record: DocumentRecord, source: string, html: Html): void {
    const storing = this.store(record, source, html)
      .catch(() => {})
      .finally(() => this.underway.delete(storing))
    this.underway.add(storing)
  }

  async flush(): Promise<void> {
    await Promise.all(this.underway)
  }

  private async store({ id, revision }: DocumentRecord, source: string, html: Html): Promise<void> {
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
