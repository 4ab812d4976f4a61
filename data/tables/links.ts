import type { Connection } from '../database.ts'

export interface LinkRow {
  kind: 'card' | 'id' | 'pull' | 'title' | 'path'
  place: number // of its context in the document's text (`search.ts`); increases
  key: string // identifies the target; '' if it cannot resolve
  token: string // as written
}

interface LinkWithSource extends LinkRow {
  documentId: string
}

/** Names a target. */
export type LinkKey = Pick<LinkRow, 'kind' | 'key'>

export function linksTable(db: Connection) {
  const put = db.prepare<LinkWithSource>(`
    INSERT INTO links (document_id, place, kind, key, token)
    VALUES (@documentId, @place, @kind, @key, @token)
    ON CONFLICT (document_id, place) DO UPDATE SET kind = @kind, key = @key, token = @token`)
  const remove = db.prepare<[string, number]>('DELETE FROM links WHERE document_id = ? AND place = ?')
  const removeAll = db.prepare<[string]>('DELETE FROM links WHERE document_id = ?')
  const of = db.prepare<[string], LinkRow>(
    'SELECT kind, place, key, token FROM links WHERE document_id = ? ORDER BY place',
  )
  const sources = db
    .prepare<LinkKey & { after: string; limit: number }, string>(`
    SELECT DISTINCT document_id FROM links WHERE key = @key AND kind = @kind AND document_id > @after
    ORDER BY document_id LIMIT @limit`)
    .pluck()
  const leadingTo = db.prepare<LinkKey & { documentId: string }, Pick<LinkRow, 'token' | 'place'>>(`
    SELECT token, min(place) AS place FROM links INDEXED BY links_key
    WHERE key = @key AND kind = @kind AND document_id = @documentId GROUP BY token`)
  return {
    replace: (documentId: string, rows: readonly LinkRow[]): void => {
      // Most writes change few links: comparing them takes a fraction of the time.
      const before = new Map(of.all(documentId).map((row) => [row.place, row]))
      for (const row of rows) {
        if (!isSameLink(before.get(row.place), row)) put.run({ documentId, ...row })
        before.delete(row.place)
      }
      for (const place of before.keys()) remove.run(documentId, place)
    },
    removeAll: (documentId: string): number => removeAll.run(documentId).changes,
    of: (documentId: string): LinkRow[] => of.all(documentId),
    /** The ids of documents that link to a target, in their order. @param after '' at first */
    sources: (key: LinkKey, after: string, limit: number): string[] => sources.all({ ...key, after, limit }),
    /** The links of a document to one target, each as it is first written. */
    leadingTo: (documentId: string, keys: readonly LinkKey[]): Pick<LinkRow, 'token' | 'place'>[] =>
      keys
        .flatMap((key) => leadingTo.all({ ...key, documentId }))
        .sort((one, other) => one.place - other.place),
  }
}
const isSameLink = (before: LinkRow | undefined, { kind, key, token }: LinkRow): boolean =>
  before?.kind === kind && before.key === key && before.token === token

export type LinksTable = ReturnType<typeof linksTable>
