import { LRUCache } from 'lru-cache'
import type { Connection } from '../database.ts'
import { entryTexts } from './search.ts'

interface UnpackedContexts {
  packed: Buffer
  revision: string | null
  contexts: readonly string[]
}

/** In characters of the contexts and bytes of what they were unpacked from. */
const maxCachedLength = 8_000_000

export type LinkContexts = ReturnType<typeof linkContexts>

/** The texts around links. Unpacking them takes long, so they are kept while what they were unpacked from is stored. */
export function linkContexts(db: Connection) {
  const find = db.prepare<[string], { text: string | Buffer | null; revision: string | null }>(
    'SELECT text, revision FROM search_entries WHERE subject_id = ?',
  )
  const texts = entryTexts(db)
  const unpacked = new LRUCache<string, UnpackedContexts>({
    maxSize: maxCachedLength,
    sizeCalculation: ({ packed, contexts }) =>
      contexts.reduce((length, context) => length + context.length, packed.length + 1),
  })
  return {
    /** In the order of the document's links; empty before its text is stored. */
    of(documentId: string): readonly string[] {
      const { text: packed = null, revision = null } = find.get(documentId) ?? {}
      if (!Buffer.isBuffer(packed)) return []
      const known = unpacked.get(documentId)
      if (known?.revision === revision && known.packed.equals(packed)) return known.contexts
      const contexts = texts.of(documentId)?.contexts
      if (contexts) unpacked.set(documentId, { packed, revision, contexts })
      return contexts ?? []
    },
  }
}
