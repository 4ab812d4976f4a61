import { LRUCache } from 'lru-cache'
import type { RevisionsTable } from '../../../data/tables/revisions.ts'
import type { MarkdownService, ParsedContent } from '../../markdown/index.ts'
import { parseDigest } from '../model/stored-digest.ts'

export interface RevisionContent {
  stored: Buffer
  digest: ParsedContent
}

const maxCacheBytes = 64 * 1024 * 1024

export class RevisionContents {
  private readonly cache = new LRUCache<string, RevisionContent>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ stored }) => stored.length + 2048,
  })

  constructor(
    private readonly revisions: RevisionsTable,
    private readonly markdown: MarkdownService,
  ) {}

  find(documentId: string, revision: string): RevisionContent | null {
    const key = `${documentId} ${revision}`
    const cached = this.cache.get(key)
    if (cached) return cached
    const row = this.revisions.find(documentId, revision)
    if (!row) return null
    const content = {
      stored: Buffer.from(this.markdown.expand(row.content)),
      digest: parseDigest(row.digest),
    }
    this.cache.set(key, content)
    return content
  }

  /** For a revision that a live document's row names, and that therefore exists. */
  get(documentId: string, revision: string): RevisionContent {
    const content = this.find(documentId, revision)
    if (!content) throw new Error(`Revision ${revision} of ${documentId} is not in the database`)
    return content
  }

  put(documentId: string, revision: string, content: RevisionContent): void {
    this.cache.set(`${documentId} ${revision}`, content)
  }
}
