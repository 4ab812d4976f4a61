import { readmePath } from '../../core/documents/model/document-paths.ts'
import { treeRoot } from '../../core/paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { rejectUndeclaredInput } from '../accepted-input.ts'
import { type Middleware, newRoutes, type Routes } from '../context.ts'
import { withListFields } from '../list-fields.ts'
import type { ServerParts } from '../parts.ts'
import { boardRoutes } from './board.ts'
import { refRoutes } from './document-links.ts'
import { documentRoutes } from './documents.ts'
import { libraryFileRoutes, libraryRoutes } from './library.ts'
import { orientationRoutes } from './orientation.ts'
import { attachmentRoutes, draftRoutes, postRoutes } from './posts.ts'
import { askRoutes, mapRoutes, planRoutes, projectLinkRoutes } from './project-pages.ts'
import { homePageRoutes, projectRoutes } from './projects.ts'
import { pullRoutes, repositoryRoutes } from './repositories.ts'
import { roomRoutes } from './rooms.ts'
import { skillRoutes } from './skills.ts'
import { trashRoutes } from './trash.ts'
import { inboxRoutes, meRoutes, usageRoutes } from './workspace-pages.ts'

interface TreeRoutes {
  handler: Middleware
  mounted: Routes[]
}

/** The index of `<folder>` in `/v1/fs/projects/:project/<folder>`, split at slashes. */
const folderPosition = 5

/** A router tries its routes in turn, so each folder has its own (`docs/interface.md#the-file-tree`). */
export function treeRoutes(
  workspace: Workspace,
  { limits: { markdownBytes }, publicUrl, uploads }: Pick<ServerParts, 'limits' | 'publicUrl' | 'uploads'>,
): TreeRoutes {
  const {
    files: { attachments, library: libraryFiles },
  } = workspace
  const mounted: Routes[] = []
  const mount = (...parts: Routes[]) => {
    const routes = withListFields(
      rejectUndeclaredInput(parts.reduce((tree, part) => tree.use(part.routes()), newRoutes(treeRoot))),
    )
    mounted.push(routes)
    return routes.routes() as Middleware
  }
  const folders = new Map<string | undefined, Middleware>([
    ['posts', mount(postRoutes(workspace, markdownBytes), attachmentRoutes('posts', attachments, uploads))],
    [
      'drafts',
      mount(draftRoutes(workspace, markdownBytes), attachmentRoutes('drafts', attachments, uploads)),
    ],
    ['docs', mount(documentRoutes('docs', workspace, markdownBytes))],
    [
      'library',
      mount(
        libraryRoutes(workspace.documents),
        libraryFileRoutes('library/files', libraryFiles, uploads),
        repositoryRoutes(workspace.code.repositories),
        documentRoutes('library/documents', workspace, markdownBytes),
      ),
    ],
    ['artifacts', mount(libraryFileRoutes('artifacts', libraryFiles, uploads))],
    ['board', mount(boardRoutes(workspace, markdownBytes))],
    ['trash', mount(trashRoutes(workspace.files.trash))],
    [readmePath, mount(homePageRoutes(workspace, markdownBytes))],
    ['refs', mount(refRoutes(workspace.links.refs))],
    ['pulls', mount(pullRoutes(workspace.code.pulls))],
    ['plan.md', mount(planRoutes(workspace.asks.plan))],
    ['map.md', mount(mapRoutes(workspace.asks.plan))],
    ['links.md', mount(projectLinkRoutes(workspace.projects.links, markdownBytes))],
    ['asks.md', mount(askRoutes(workspace.asks.pages))],
    ['skills', mount(skillRoutes(workspace.skills.publishedSkills))],
  ])
  const top = mount(
    orientationRoutes(workspace, publicUrl),
    meRoutes(workspace),
    inboxRoutes(workspace),
    roomRoutes(workspace.rooms),
    projectRoutes(workspace, publicUrl),
    usageRoutes(workspace.people.usage),
  )
  const handler: Middleware = (ctx, next) => {
    const folder = folders.get(ctx.path.split('/', folderPosition + 1)[folderPosition])
    return (folder ?? top)(ctx, next)
  }
  return { handler, mounted }
}
