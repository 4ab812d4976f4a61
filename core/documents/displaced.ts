import { analyseFound } from './analysis.ts'
import type { Filed } from './filing.ts'
import type { Parts } from './parts.ts'

/**
 * An editor saved between our last look and the rename: its bytes become a revision of their own, below ours,
 * so that neither is lost.
 */
export async function keepDisplaced(parts: Parts, { record, change, displaced }: Filed): Promise<void> {
  if (displaced === null) return
  const { tree, contents, revisions, database, diskMember, clock } = parts
  const content = tree.readStaged(displaced)
  if (content) {
    const before = contents.get(record.id, record.revision)
    const analysis = await analyseFound(parts, content.bytes, record, before, 'answering')
    await database.commit(() => {
      const ours = revisions.find(record.id, change.after.revision)
      // A chmod in between displaces a file as well, with the bytes that are known.
      if (!ours || analysis.revision === change.before?.revision) return
      revisions.remove(ours.id)
      revisions.add({
        documentId: record.id,
        atMs: clock.now(),
        revision: analysis.revision,
        authorId: diskMember(content.stamp.uid),
        via: 'disk',
        bytes: analysis.stored.length,
        content: Buffer.from(analysis.compressed),
        digest: JSON.stringify(analysis.digest),
      })
      const { id: _, ...again } = ours
      revisions.add(again)
    })
  }
  tree.discard(displaced)
}
