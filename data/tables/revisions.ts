import type { Connection } from '../database.ts'

interface RevisionRecord {
  id: number
  documentId: string
  /** First 20 characters of the hex SHA-256 of the bytes. */
  revision: string
  atMs: number
  authorId: string
  via: 'api' | 'disk' | 'schedule'
  bytes: number
  /** The stored bytes, deflated (zlib raw). */
  content: Buffer
  /** JSON: the parsed content. */
  digest: string
}

type RevisionHead = Omit<RevisionRecord, 'content' | 'digest'>

export type RevisionsTable = ReturnType<typeof revisionsTable>

const head = 'id, document_id AS documentId, revision, at_ms AS atMs, author_id AS authorId, via, bytes'

export function revisionsTable(db: Connection) {
  const add = db.prepare<[Omit<RevisionRecord, 'id'>]>(`
    INSERT INTO revisions (document_id, revision, at_ms, author_id, via, bytes, content, digest)
    VALUES (@documentId, @revision, @atMs, @authorId, @via, @bytes, @content, @digest)`)
  const get = db.prepare<[number], RevisionRecord>(
    `SELECT ${head}, content, digest FROM revisions WHERE id = ?`,
  )
  const newest = db.prepare<[string, string], RevisionRecord>(`
    SELECT ${head}, content, digest FROM revisions WHERE document_id = ? AND revision = ? ORDER BY id DESC LIMIT 1`)
  const heads = db.prepare<[string, number], RevisionHead>(`
    SELECT ${head} FROM revisions WHERE document_id = ? ORDER BY id DESC LIMIT ?`)
  const newestId = 'SELECT id FROM revisions WHERE document_id = @documentId AND revision ='
  const isBetween = db
    .prepare<{ documentId: string; revision: string; older: string; newer: string }, 1>(`
      WITH newer AS (${newestId} @newer ORDER BY id DESC LIMIT 1),
        older AS (${newestId} @older AND id < (SELECT id FROM newer) ORDER BY id DESC LIMIT 1)
      SELECT 1 FROM revisions
      WHERE document_id = @documentId AND revision = @revision AND via = 'disk'
        AND id > (SELECT id FROM older) AND id < (SELECT id FROM newer) LIMIT 1`)
    .pluck()
  const idsFrom = db
    .prepare<[string, number], number>(
      'SELECT id FROM revisions WHERE document_id = ? AND id >= ? ORDER BY id',
    )
    .pluck()
  const digests = db
    .prepare<[string, number], string>(
      'SELECT digest FROM revisions WHERE document_id = ? ORDER BY id DESC LIMIT ?',
    )
    .pluck()
  const count = db.prepare<[string], number>('SELECT count(*) FROM revisions WHERE document_id = ?').pluck()
  const remove = db.prepare<[number]>('DELETE FROM revisions WHERE id = ?')
  const removeAll = db.prepare<[string]>('DELETE FROM revisions WHERE document_id = ?')

  return {
    add: (record: Omit<RevisionRecord, 'id'>): number => Number(add.run(record).lastInsertRowid),
    get: (id: number): RevisionRecord | undefined => get.get(id),
    /** The newest row with this revision. */
    find: (documentId: string, revision: string): RevisionRecord | undefined =>
      newest.get(documentId, revision),
    /** Newest first. */
    heads: (documentId: string, limit = -1): RevisionHead[] => heads.all(documentId, limit),
    /** Whether a revision from the disk lies between two others: the newest `newer`, and `older` before that. */
    isFromDiskBetween: (
      documentId: string,
      revision: string,
      { older, newer }: { older: string; newer: string },
    ): boolean => isBetween.get({ documentId, revision, older, newer }) === 1,
    /** Oldest first, including `id`. */
    idsFrom: (documentId: string, id: number): number[] => idsFrom.all(documentId, id),
    digests: (documentId: string, limit: number): string[] => digests.all(documentId, limit),
    count: (documentId: string): number => count.get(documentId)!,
    remove: (id: number): boolean => remove.run(id).changes === 1,
    removeAll: (documentId: string): number => removeAll.run(documentId).changes,
  }
}
