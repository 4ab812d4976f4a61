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

/** The raw file. `GET /v1/fs/projects/<project>` answers with text that is generated from it. */
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
