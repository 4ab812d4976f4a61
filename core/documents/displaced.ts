import type { DocumentRecord } from '../../data/tables/documents.ts'
import { analyseFound } from './analysis.ts'
import type { Parts } from './parts.ts'

/**
 * An editor saved between our last look and the rename: its bytes become a revision of their own, below ours,
 * so that neither is lost.
 * @param name of the displaced bytes in `.workroom/tmp`
 * @param ours the document as our write left it
 * @param previous the revision that our write was made on; null: there was none
 */
export async function keepDisplaced(
  parts: Parts,
  name: string,
  ours: DocumentRecord,
  previous: string | null,
): Promise<void> {
  const { tree, contents, revisions, database, diskMember, clock } = parts
  const content = tree.readStaged(name)
  if (content) {
    const before = contents.get(ours.id, ours.revision)
    const analysis = await analyseFound(parts, content.bytes, ours, before, 'answering')
    await database.commit(() => {
      const row = revisions.find(ours.id, ours.revision)
      // A chmod in between displaces a file as well, with the bytes that are known.
      if (!row || analysis.revision === previous) return
      revisions.remove(row.id)
      revisions.add({
        documentId: ours.id,
        atMs: clock.now(),
        revision: analysis.revision,
        authorId: diskMember(content.stamp.uid),
        via: 'disk',
        bytes: analysis.stored.length,
        content: Buffer.from(analysis.compressed),
        digest: JSON.stringify(analysis.digest),
      })
      const { id: _, ...again } = row
      revisions.add(again)
    })
  }
  tree.discard(name)
}
