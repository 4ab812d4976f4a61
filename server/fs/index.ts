import type { Workspace } from '../../core/workspace.ts'
import { type Middleware, newRoutes, type Routes } from '../context.ts'
import { boardRoutes } from './board.ts'
import { documentRoutes } from './documents.ts'
import { draftRoutes } from './drafts.ts'
import { inboxRoutes } from './inbox.ts'
import { libraryRoutes } from './library.ts'
import { meRoutes } from './me.ts'
import { orientationRoutes } from './orientation.ts'
import { postRoutes } from './posts.ts'
import { projectRoutes } from './projects.ts'
import { roomRoutes } from './rooms.ts'
import { trashRoutes } from './trash.ts'

export interface TreeOptions {
  /** The largest file that a PUT takes. */
  markdownBytes: number
  /** The base address, without a slash at its end. */
  publicUrl: string
}

/** Where a project's folder stands in `/v1/fs/projects/:project/<folder>`, split at its slashes. */
const folderPosition = 5

/**
 * The file tree (`interface.md`, The /v1/fs tree), put together of one file per folder. A router tries its routes
 * one after another; of the many here, only those of the folder that is asked for are tried.
 */
export function treeRoutes(workspace: Workspace, { markdownBytes, publicUrl }: TreeOptions): Middleware {
  const { documents } = workspace
  const mount = (...parts: Routes[]) =>
    parts.reduce((tree, part) => tree.use(part.routes()), newRoutes('/v1/fs')).routes() as Middleware
  const folders = new Map<string | undefined, Middleware>([
    ['posts', mount(postRoutes(documents, markdownBytes))],
    ['drafts', mount(draftRoutes(documents, markdownBytes))],
    ['docs', mount(documentRoutes('docs', documents, markdownBytes))],
    [
      'library',
      mount(libraryRoutes(documents), documentRoutes('library/documents', documents, markdownBytes)),
    ],
    ['board', mount(boardRoutes(documents, markdownBytes))],
    ['trash', mount(trashRoutes(documents))],
  ])
  const top = mount(
    orientationRoutes(workspace, publicUrl),
    meRoutes(workspace),
    inboxRoutes(workspace),
    roomRoutes(workspace.rooms),
    projectRoutes(workspace, publicUrl),
  )
  return (ctx, next) => {
    const folder = folders.get(ctx.path.split('/', folderPosition + 1)[folderPosition])
    return (folder ?? top)(ctx, next)
  }
}
