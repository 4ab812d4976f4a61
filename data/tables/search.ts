import { decompress, unpackText } from '../compression.ts'
import type { Connection } from '../database.ts'

interface SearchText {
  title: string
  body: string
}

export interface SearchHit {
  entryId: number
  type: 'document' | 'comment' | 'message'
  subjectId: string
  containerId: string // the document, the post commented on, or the room
  score: number // lower is better
}

export interface DocumentFilter {
  projects: readonly string[] // ids
  kinds: readonly string[]
  memberId: string // whose drafts are included
}

export interface SearchFilter extends DocumentFilter {
  comments: boolean // on the posts in these projects
  commentedKinds?: readonly string[] // documents and cards whose comments are included
  rooms: readonly string[] // ids
  authorId?: string
  fromMs?: number // Unix time of sending or of the last write, milliseconds
  beforeMs?: number
  hasFile?: boolean
}

/** Links to files in the bodies of messages and comments. */
const linksToFile = (body: string) => `(${body} LIKE '%](%/files/%' OR ${body} LIKE '%](%/attachments/%')`

/** A filter's conditions on a row, besides what its reader may see. */
const matchesFilter = (author: string, time: string, hasFile: string) => `
  (@authorId IS NULL OR ${author} = @authorId) AND ${time} >= @fromMs AND ${time} < @beforeMs
  AND (@hasFile = 0 OR ${hasFile})`

/** Whether a reader may see a row's entry, and it matches the filter. */
const isVisible = `CASE type
  WHEN 'message' THEN containerId IN (SELECT value FROM json_each(@rooms))
    AND EXISTS (SELECT 1 FROM messages WHERE messages.id = subject_id
      AND ${matchesFilter('author_id', 'sent_ms', linksToFile('body'))})
  WHEN 'comment' THEN EXISTS (SELECT 1 FROM documents WHERE documents.id = containerId
      AND kind IN (SELECT value FROM json_each(@commentedKinds)) AND deleted_ms IS NULL
      AND project_id IN (SELECT value FROM json_each(@projects)))
    AND EXISTS (SELECT 1 FROM comments WHERE comments.id = subject_id
      AND ${matchesFilter('author_id', 'created_ms', linksToFile('body'))})
  ELSE EXISTS (SELECT 1 FROM documents WHERE documents.id = containerId AND deleted_ms IS NULL
    AND kind IN (SELECT value FROM json_each(@kinds)) AND project_id IN (SELECT value FROM json_each(@projects))
    AND (kind <> 'draft' OR author_id = @memberId)
    AND ${matchesFilter('author_id', 'coalesce(edited_ms, published_ms)', "coalesce(attachments, '[]') <> '[]'")}) END`

const hitColumns = (
  score: string,
) => `id AS entryId, type, subject_id AS subjectId, ${score} AS score, CASE type
  WHEN 'message' THEN (SELECT room_id FROM messages WHERE messages.id = subject_id)
  WHEN 'comment' THEN (SELECT post_id FROM comments WHERE comments.id = subject_id)
  ELSE subject_id END AS containerId`

interface FilterParameters {
  projects: string
  kinds: string
  memberId: string
  commentedKinds: string
  rooms: string
  authorId: string | null
  fromMs: number
  beforeMs: number
  hasFile: 0 | 1
}

const parametersOf = (filter: SearchFilter): FilterParameters => ({
  projects: JSON.stringify(filter.projects),
  kinds: JSON.stringify(filter.kinds),
  memberId: filter.memberId,
  commentedKinds: JSON.stringify([...(filter.comments ? ['post'] : []), ...(filter.commentedKinds ?? [])]),
  rooms: JSON.stringify(filter.rooms),
  authorId: filter.authorId ?? null,
  fromMs: filter.fromMs ?? Number.MIN_SAFE_INTEGER,
  beforeMs: filter.beforeMs ?? Number.MAX_SAFE_INTEGER,
  hasFile: filter.hasFile ? 1 : 0,
})

const titleWeight = 8

export function searchReader(db: Connection) {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_words USING fts5vocab(main, search_text, instance)')
  // A space sorts before letters and digits, so the range begins after the word itself.
  const longerWord = db
    .prepare<{ word: string }, 1>(`
    SELECT 1 FROM search_words WHERE term >= @word || ' ' AND term < @word || char(0x10ffff) LIMIT 1`)
    .pluck()
  // FTS5 ignores a bound on rowid that is not an INTEGER, and numbers are bound as REAL.
  const newestMatches = `
    SELECT rowid AS id, (SELECT bytes FROM search_entries WHERE search_entries.id = search_text.rowid) AS bytes
    FROM search_text WHERE search_text MATCH @words AND rowid < CAST(@before AS INTEGER)
    ORDER BY rowid DESC LIMIT @entries`
  const portion = db.prepare<
    { words: string; before: number; entries: number },
    { first: number | null; count: number; bytes: number | null }
  >(`SELECT min(id) AS first, count(*) AS count, sum(bytes) AS bytes FROM (${newestMatches})`)
  // Takes twice as long, so it is run only where the texts exceed the limit.
  const portionWithin = db.prepare<
    { words: string; before: number; entries: number; bytes: number },
    { first: number; count: number }
  >(`
    SELECT min(id) AS first, count(*) AS count
    FROM (
      SELECT id, coalesce(sum(bytes) OVER (ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytesAhead
      FROM (${newestMatches}))
    WHERE bytesAhead < @bytes`)
  // The inner query sorts, and its LIMIT keeps SQLite from omitting that. Only as many entries as it takes to
  // find enough are then checked for visibility.
  const best = db.prepare<
    FilterParameters & { words: string; first: number; before: number; limit: number },
    SearchHit
  >(`
    SELECT ${hitColumns('score')}
    FROM (
      SELECT rowid AS id, bm25(search_text, ${titleWeight}, 1) AS score FROM search_text
      WHERE search_text MATCH @words AND rowid >= CAST(@first AS INTEGER) AND rowid < CAST(@before AS INTEGER)
      ORDER BY score, rowid DESC LIMIT -1
    ) CROSS JOIN search_entries USING (id)
    WHERE ${isVisible} LIMIT @limit`)
  const portionOfAll = db.prepare<[number, number], { first: number | null; count: number }>(`
    SELECT min(id) AS first, count(*) AS count
    FROM (SELECT id FROM search_entries WHERE id < ? ORDER BY id DESC LIMIT ?)`)
  const newest = db.prepare<FilterParameters & { first: number; before: number; limit: number }, SearchHit>(`
    SELECT ${hitColumns('-id')} FROM search_entries
    WHERE id >= @first AND id < @before AND ${isVisible} ORDER BY id DESC LIMIT @limit`)
  const texts = entryTexts(db)

  return {
    /** The newest entries below `before`, unfiltered: at least one. `words` are in FTS5's syntax. */
    portion: (
      words: string,
      before: number,
      limits: { entries: number; bytes: number },
    ): { first: number | null; count: number; isLast: boolean } => {
      if (words === '') {
        const { first, count } = portionOfAll.get(before, limits.entries)!
        return { first, count, isLast: count < limits.entries }
      }
      const { entries, bytes: maxBytes } = limits
      const { first, count, bytes } = portion.get({ words, before, entries })!
      if (bytes !== null && bytes > maxBytes)
        return { ...portionWithin.get({ words, before, ...limits })!, isLast: false }
      return { first, count, isLast: count < entries }
    },
    /** The best entries that a reader may see; without words the newest. */
    best: (
      words: string,
      range: { first: number; before: number },
      filter: SearchFilter,
      limit: number,
    ): SearchHit[] => {
      const parameters = { ...parametersOf(filter), ...range, limit }
      return words === '' ? newest.all(parameters) : best.all({ ...parameters, words })
    },
    body: (subjectId: string): string | undefined => texts.of(subjectId),
    /** Whether the index has a word that begins with this one, and is longer. @param word in lower case */
    hasLongerWord: (word: string): boolean => longerWord.get({ word }) === 1,
  }
}

export type SearchReader = ReturnType<typeof searchReader>

/** Texts of messages and comments are stored as they are, those of documents packed with their revision. */
export function entryTexts(db: Connection) {
  const find = db.prepare<
    [string],
    { text: string | Buffer | null; fileBytes: number | null; content: Buffer | null }
  >(`
    SELECT text, revisions.bytes AS fileBytes, content
    FROM search_entries LEFT JOIN revisions
      ON type = 'document' AND document_id = subject_id AND revisions.revision = search_entries.revision
    WHERE subject_id = ? ORDER BY revisions.id DESC LIMIT 1`)
  return {
    of: (subjectId: string): string | undefined => {
      const { text = null, fileBytes = null, content = null } = find.get(subjectId) ?? {}
      if (typeof text === 'string') return text
      if (text === null || fileBytes === null || content === null) return undefined
      return unpackText(text, fileBytes, () => decompress(content))
    },
  }
}

const bytesOf = ({ body }: SearchText): number => Buffer.byteLength(body)

export function searchTable(db: Connection) {
  const insertEntry = db.prepare<[string, string, string | null, number, string | Uint8Array]>(
    'INSERT INTO search_entries (type, subject_id, revision, bytes, text) VALUES (?, ?, ?, ?, ?)',
  )
  const insertText = db.prepare<[number | bigint, string, string]>(
    'INSERT INTO search_text (rowid, title, body) VALUES (?, ?, ?)',
  )
  const find = db.prepare<[string], number>('SELECT id FROM search_entries WHERE subject_id = ?').pluck()
  const updateText = db.prepare<[string, string, number]>(
    'UPDATE search_text SET title = ?, body = ? WHERE rowid = ?',
  )
  const updateEntry = db.prepare<[string | null, number, string | Uint8Array, number]>(
    'UPDATE search_entries SET revision = ?, bytes = ?, text = ? WHERE id = ?',
  )
  const removeText = db.prepare<[number]>('DELETE FROM search_text WHERE rowid = ?')
  const removeEntry = db.prepare<[number]>('DELETE FROM search_entries WHERE id = ?')
  const lastOf = db
    .prepare<[string, number], string | null>(
      'SELECT max(id) FROM (SELECT id FROM documents WHERE id > ? ORDER BY id LIMIT ?)',
    )
    .pluck()
  const outdated = db
    .prepare<[string, string], string>(`
    SELECT documents.id FROM documents LEFT JOIN search_entries ON subject_id = documents.id
    WHERE documents.id > ? AND documents.id <= ? AND search_entries.revision IS NOT documents.revision
      AND EXISTS (SELECT 1 FROM revisions WHERE document_id = documents.id AND revision = documents.revision)`)
    .pluck()
  const forgetAll = db.prepare("INSERT INTO search_text (search_text) VALUES ('delete-all')")
  const forgetUnreadable = db.prepare(`
    UPDATE search_entries SET revision = NULL WHERE type = 'document' AND NOT EXISTS (
      SELECT 1 FROM revisions
      WHERE document_id = subject_id AND revisions.revision = search_entries.revision)`)
  const titled = db.prepare<[], { id: number; subjectId: string; title: string }>(`
    SELECT search_entries.id, subject_id AS subjectId, coalesce(title, '') AS title
    FROM search_entries LEFT JOIN documents ON documents.id = subject_id`)
  const texts = entryTexts(db)
  return {
    /** @throws SqliteError if the subject has an entry */
    add: (type: SearchHit['type'], subjectId: string, text: SearchText): void => {
      const { lastInsertRowid } = insertEntry.run(type, subjectId, null, bytesOf(text), text.body)
      insertText.run(lastInsertRowid, text.title, text.body)
    },
    change: (subjectId: string, text: SearchText): boolean => {
      const id = find.get(subjectId)
      if (id === undefined) return false
      updateEntry.run(null, bytesOf(text), text.body, id)
      return updateText.run(text.title, text.body, id).changes === 1
    },
    remove: (subjectId: string): boolean => {
      const id = find.get(subjectId)
      if (id === undefined) return false
      removeText.run(id)
      return removeEntry.run(id).changes === 1
    },
    /** @param packed the text and the contexts of its links, packed with the revision */
    putDocument: (id: string, revision: string, text: SearchText, packed: Uint8Array): void => {
      const entry = find.get(id)
      if (entry === undefined) {
        const { lastInsertRowid } = insertEntry.run('document', id, revision, bytesOf(text), packed)
        insertText.run(lastInsertRowid, text.title, text.body)
      } else {
        updateText.run(text.title, text.body, entry)
        updateEntry.run(revision, bytesOf(text), packed, entry)
      }
    },
    retitle: (subjectId: string, title: string): boolean => {
      const id = find.get(subjectId)
      const text = texts.of(subjectId)
      return id !== undefined && text !== undefined && updateText.run(title, text, id).changes === 1
    },
    /** Refills the index. Documents whose text cannot be read are indexed again later. */
    rebuild: (): void => {
      forgetAll.run()
      forgetUnreadable.run()
      for (const { id, subjectId, title } of titled.all())
        insertText.run(id, title, texts.of(subjectId) ?? '')
    },
    /** `ids` have a missing or outdated entry. The next call continues at `last`, `''` at the end. */
    outdatedDocuments: (after: string, count: number): { last: string; ids: string[] } => {
      const last = lastOf.get(after, count) ?? ''
      return { last, ids: last === '' ? [] : outdated.all(after, last) }
    },
    ...searchReader(db),
  }
}
export type SearchTable = ReturnType<typeof searchTable>
