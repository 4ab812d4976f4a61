import type { FileAddress } from '../../core/documents/index.ts'
import { readmePath } from '../../core/documents/model/document-paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Routes } from '../context.ts'
import { writableFileRoutes } from './document-routes.ts'

const addressOf = ({ project }: Record<string, string>): FileAddress => ({
  project: project!,
  folder: 'home',
  name: readmePath,
})

/** A project's home page as a file: what the project's own path answers is made of it. */
export const homePageRoutes = (
  { documents, live }: Pick<Workspace, 'documents' | 'live'>,
  markdownBytes: number,
): Routes =>
  writableFileRoutes({
    noun: 'home page',
    path: `/projects/:project/${readmePath}`,
    addressOf,
    documents,
    live,
    markdownBytes,
  })
