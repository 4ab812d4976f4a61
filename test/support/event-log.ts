import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { parseDetail } from '../../core/documents/model/document-event.ts'

/** A row of the event log with its detail parsed. */
export interface LoggedEvent {
  tick: number
  type: 'doc.write' | 'doc.delete'
  atMs: number
  actorId: string
  projectId: string
  documentId: string
  via: 'api' | 'disk' | 'schedule'
  detail: {
    docType: 'note' | 'post' | 'card'
    title: string
    path: string
    previousPath?: string
    changed?: true
    deleted?: true
    blockIds?: { rebound: number; orphaned: number; total: number }
  }
}

/** All events of a home, oldest first, read by a connection of its own. */
export function eventsOf(home: string): LoggedEvent[] {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    const rows = db
      .prepare<[], Omit<LoggedEvent, 'detail'> & { detail: string }>(`
        SELECT tick, type, at_ms AS atMs, actor_id AS actorId, project_id AS projectId,
          document_id AS documentId, via, detail
        FROM events ORDER BY tick`)
      .all()
    return rows.map((row) => ({
      ...row,
      detail: isOfDocument(row) ? parseDetail(row.detail) : JSON.parse(row.detail),
    }))
  } finally {
    db.close()
  }
}

const isOfDocument = ({ type }: { type: string }) => type.startsWith('doc.')
