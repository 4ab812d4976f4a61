import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import type { Writes } from '../documents/writing/writes.ts'
import { type ErrorCode, WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { slugOf } from '../text/slug.ts'
import type { Editor } from './editors.ts'
import { LiveDocument, type LiveDocumentDeps } from './live-document.ts'
import type { GoneMessage } from './protocol.ts'
import { restoreText } from './stored-text.ts'

interface GoneTextsDeps extends Omit<LiveDocumentDeps, 'onFailure' | 'onSaved'> {
  catalogue: Catalogue
  contents: RevisionContents
  documents: Pick<DocumentsTable, 'find'>
  members: MemberStore
  projects: ProjectStore
  writes: Pick<Writes, 'put'>
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

/** Saves a draft for each writer who may still write. Returns page paths by member. @throws `unavailable` */
async function writeUnsavedDrafts(
  { catalogue, members, projects, writes }: GoneTextsDeps,
  document: LiveDocument,
  record: DocumentRecord,
): Promise<Map<string, string>> {
  const drafts = new Map<string, string>()
  const project = projects.find(record.projectId)
  if (document.isSaved || !project) return drafts
  for (const memberId of document.unsavedWriters) {
    const member = members.find(memberId)
    if (member?.status !== 'active') continue
    const caller = { member, keyId: '', scopes: new Set(['*'] as const) }
    const name = `unsaved-${slugOf(record.title) || 'text'}-${document.id.slice(-6)}.md`
    const put = (text: string) =>
      writes.put(caller, { project: project.slug, folder: 'drafts', name }, Buffer.from(text), {
        kind: 'none',
      })
    const written = await put(document.text).catch((error) => {
      if (isRefusal(error, 'forbidden', 'not_found')) return null
      if (!isRefusal(error, 'invalid')) throw error
      return put(asPlainText(record.title, document.text))
    })
    const draft = written && catalogue.find(written.id)
    if (draft) drafts.set(memberId, pagePath(project, draft))
  }
  return drafts
}

const isRefusal = (error: unknown, ...codes: ErrorCode[]): boolean =>
  error instanceof WorkspaceError && codes.includes(error.code)

/** For a text with broken frontmatter, no title, or a character that no file may contain. */
const asPlainText = (title: string, text: string): string =>
  `# ${title}\n\n${text.replaceAll('\0', '\ufffd')}`
