import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Address, Folder, OpenDocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { Page } from '../pages.ts'
import type { ProjectPart } from '../projects/frame.ts'

/** The services that show a document and what belongs to it. */
export type DocumentServices = Pick<
  Workspace,
  'clock' | 'comments' | 'directory' | 'documents' | 'inbox' | 'links' | 'rendering'
>

export interface DocumentContext {
  workspace: DocumentServices
  caller: Caller
  session: OpenSession
  project: Project
  address: Address
  details: OpenDocumentDetails
}

/** @param revision by default the current one @param part from 1 @throws WorkspaceError `not_found` */
export type DocumentPageRenderer = (
  opened: DocumentContext,
  revision: string | undefined,
  comments: CommentPageRequest,
  part: number,
) => Promise<Page>

/** Selects comments by cursor or by a comment's id, and the subject of a new one. */
export interface CommentPageRequest {
  cursor: string | undefined
  at: string | undefined
  /** A block's id; `''` to choose a block. */
  about: string | undefined
}

export const projectPartOf: Record<Folder, ProjectPart> = {
  posts: 'posts',
  drafts: 'drafts',
  documents: 'docs',
  board: 'board',
}

export const editPath = (project: Project, { page }: Pick<OpenDocumentDetails, 'page'>): string =>
  `${projectPagePath(project)}/edit${page.slice(projectPagePath(project).length)}`
