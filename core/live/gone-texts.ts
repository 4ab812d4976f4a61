import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import type { Editor } from './editors.ts'
import { LiveDocument, type LiveDocumentDeps } from './live-document.ts'
import type { GoneMessage } from './protocol.ts'
import { restoreText } from './stored-text.ts'
import { type UnsavedDraftsDeps, writeUnsavedDrafts } from './unsaved-drafts.ts'

interface GoneTextsDeps extends Omit<LiveDocumentDeps, 'onFailure' | 'onSaved'>, UnsavedDraftsDeps {
  contents: RevisionContents
  documents: Pick<DocumentsTable, 'find'>
}

export type GoneDetails = Pick<GoneMessage, 'by' | 'isOnDisk' | 'to'> & { reason: 'deleted' | 'published' }

/** Turns the unsaved changes of live texts whose document was deleted or published into drafts. */
export class GoneTexts {
  constructor(private readonly deps: GoneTextsDeps) {}

  /** Ends a text, and tells its editors why, and where their unsaved changes are. */
  async end(
    document: LiveDocument,
    record: DocumentRecord,
    { editors, details }: { editors: readonly Editor[]; details: GoneDetails },
  ): Promise<void> {
    const { database, liveTexts, onProblem } = this.deps
    const drafts = await writeUnsavedDrafts(this.deps, document, record).catch((error) => {
      onProblem('Unsaved text of a deleted document could not be kept as a draft', error)
      return new Map<string, string>()
    })
    document.notifyGone(details, drafts)
    for (const { connection } of editors) connection.end('gone', 'This text can no longer be edited.')
    await document.end()
    // Changes that are in no draft are kept for the next start, or until the document is restored.
    if (document.isSaved || drafts.size > 0) await database.commit(() => liveTexts.remove(document.id))
  }

  /** Does the same for a text that was not saved when the server stopped. */
  async keepAsDrafts(id: string): Promise<void> {
    const { contents, documents, liveTexts, database } = this.deps
    const row = liveTexts.find(id)
    const record = documents.find(id)
    if (row && record && contents.find(id, row.baseRevision)) {
      const text = restoreText({ liveTexts, contents, newEpoch: () => row.epoch }, record)
      const document = new LiveDocument(id, text, 0, { ...this.deps, onFailure: () => {}, onSaved: () => {} })
      const drafts = await writeUnsavedDrafts(this.deps, document, record)
      await document.end()
      if (!document.isSaved && drafts.size === 0) return
    }
    await database.commit(() => liveTexts.remove(id))
  }
}
