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

type BacklinkRow = Pick<LinkWithSource, 'documentId' | 'token' | 'place'>

export interface DocumentFilter {
  projects: readonly string[] // ids
  kinds: readonly string[]
  memberId: string // whose drafts are included
}

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
  const leadingTo = db.prepare<
    {
      keys: string
      id: string
      projectId: string
      projects: string
      kinds: string
      memberId: string
      limit: number
    },
    BacklinkRow
  >(`
    SELECT document_id AS documentId, token, min(place) AS place
    FROM json_each(@keys) AS target
      JOIN links ON links.key = target.value ->> 'key' AND links.kind = target.value ->> 'kind'
      JOIN documents ON documents.id = document_id
    WHERE document_id <> @id AND deleted_ms IS NULL
      AND project_id IN (SELECT value FROM json_each(@projects))
      AND documents.kind IN (SELECT value FROM json_each(@kinds))
      AND (documents.kind <> 'draft' OR author_id = @memberId)
      AND (links.kind IN ('id', 'path') OR project_id = @projectId)
    GROUP BY document_id, token
    ORDER BY coalesce(edited_ms, published_ms) DESC, document_id DESC, place
    LIMIT @limit`)
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
    /** The most recently edited first. Numbers and titles are resolved in the document's project. */
    leadingTo: (
      { id, projectId }: { id: string; projectId: string },
      keys: readonly Pick<LinkRow, 'kind' | 'key'>[],
      { projects, kinds, memberId }: DocumentFilter,
      limit: number,
    ): BacklinkRow[] =>
      leadingTo.all({
        keys: JSON.stringify(keys),
        id,
        projectId,
        projects: JSON.stringify(projects),
        kinds: JSON.stringify(kinds),
        memberId,
        limit,
      }),
  }
}
const isSameLink = (before: LinkRow | undefined, { kind, key, token }: LinkRow): boolean =>
  before?.kind === kind && before.key === key && before.token === token

export type LinksTable = ReturnType<typeof linksTable>
