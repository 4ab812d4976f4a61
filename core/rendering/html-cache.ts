import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRawSync } from 'node:zlib'
import type { Database } from '../../data/database.ts'
import { programVersion } from '../../data/program.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { RenderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import { type Html, largeTextBytes } from '../markdown/index.ts'

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

  /** Ids of long documents without HTML of this program, the most recently active last. */
  missing(): string[] {
    return this.rows.missing(programVersion(), largeTextBytes)
  }

  /** Stores the HTML of a document's newest revision with a later commit. */
  put({ id, revision }: DocumentRecord, source: string, html: Html): void {
    const keeping = deflate(JSON.stringify(html)).then((deflated) => {
      const row = {
        documentId: id,
        revision,
        program: programVersion(),
        source: hashOf(source),
        html: deflated,
      }
      this.database.commitLater(() => this.rows.put(row))
      this.underway.delete(keeping)
    })
    this.underway.add(keeping)
  }

  /** Commits what was stored; a failure is reported by the next writer. */
  async save(): Promise<void> {
    await this.flush()
    await this.database.commit(() => {}).catch(() => {})
  }

  /** Resolves once everything is queued for the next commit. */
  async flush(): Promise<void> {
    await Promise.all(this.underway)
  }
}

const hashOf = (source: string): Buffer => createHash('sha256').update(source).digest()
