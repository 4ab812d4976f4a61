import { LRUCache } from 'lru-cache'
import type { RevisionsTable } from '../../../data/tables/revisions.ts'
import type { MarkdownService, ParsedContent } from '../../markdown/index.ts'

/** A revision's bytes and what was learnt from them. */
export interface RevisionContent {
  stored: Buffer
  digest: ParsedContent
}

/** How many bytes of expanded revisions are kept at hand. */
const keptBytes = 64 * 1024 * 1024

/** The bytes of revisions, out of the database: what they are never depends on the moment at which a file is read. */
export class RevisionContents {
  private readonly cache = new LRUCache<string, RevisionContent>({
    maxSize: keptBytes,
    sizeCalculation: ({ stored }) => stored.length + 2048,
  })
  private readonly revisions: RevisionsTable
  private readonly markdown: MarkdownService

  constructor(revisions: RevisionsTable, markdown: MarkdownService) {
    this.revisions = revisions
    this.markdown = markdown
  }

  /** The content of a document's revision; null when there is no such revision. */
  find(documentId: string, revision: string): RevisionContent | null {
    const key = `${documentId} ${revision}`
    const cached = this.cache.get(key)
    if (cached) return cached
    const row = this.revisions.find(documentId, revision)
    if (!row) return null
    const content = {
      stored: Buffer.from(this.markdown.expand(row.content)),
      digest: JSON.parse(row.digest) as ParsedContent,
    }
    this.cache.set(key, content)
    return content
  }

  /** The content of a revision that a live document's row names, and that is therefore there. */
  get(documentId: string, revision: string): RevisionContent {
    const content = this.find(documentId, revision)
    if (!content) throw new Error(`Revision ${revision} of ${documentId} is not in the database`)
    return content
  }

  /** Remembers what was just written, which is likely to be read next. */
  keep(documentId: string, revision: string, content: RevisionContent): void {
    this.cache.set(`${documentId} ${revision}`, content)
  }
}
