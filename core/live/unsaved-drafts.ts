import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { pagePath } from '../documents/model/document-paths.ts'
import type { Writes } from '../documents/writing/writes.ts'
import { type ErrorCode, WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { slugOf } from '../text/slug.ts'
import type { LiveDocument } from './live-document.ts'

export interface UnsavedDraftsDeps {
  catalogue: Catalogue
  members: MemberStore
  projects: ProjectStore
  writes: Pick<Writes, 'put'>
}

/** Saves a draft for each writer who may still write. Returns page paths by member. @throws `unavailable` */
export async function writeUnsavedDrafts(
  { catalogue, members, projects, writes }: UnsavedDraftsDeps,
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
