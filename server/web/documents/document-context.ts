import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Address, Folder, OpenDocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { Page } from '../pages.ts'
import type { ProjectPart } from '../projects/frame.ts'

export interface DocumentContext {
  workspace: Workspace
  caller: Caller
  session: OpenSession
  project: Project
  address: Address
  details: OpenDocumentDetails
}

/**
 * Shows a file to be read.
 * @param revision an older one; left out: the present one
 * @param comments which of its comments are asked for; default the first
 * @param part of a long document, from 1
 * @throws WorkspaceError `not_found` for a revision that there is not
 */
export type DocumentPageRenderer = (
  opened: DocumentContext,
  revision: string | undefined,
  comments: CommentPageRequest,
  part: number,
) => Promise<Page>

/** A page of comments by its cursor, or whichever holds this one; and what a new one is about. */
export interface CommentPageRequest {
  cursor: string | undefined
  at: string | undefined
  /** The id of a block; `''` to choose one. */
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
