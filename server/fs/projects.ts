import { z } from 'zod'
import { requireScope } from '../../core/access/permissions.ts'
import type { FileAddress } from '../../core/documents/index.ts'
import { readmePath } from '../../core/documents/model/document-paths.ts'
import { projectPagePath, projectTreePath } from '../../core/paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { readConditions, revisionHeaders } from '../described-headers.ts'
import { createdProject, projectList } from '../schemas/tree.ts'
import { writableFileRoutes } from './document-routes.ts'
import { generatedFile } from './generated.ts'
import { sendDocument } from './responses.ts'

const createProject = accepts({ body: { name: z.string() } })

export const projectRoutes = (
  workspace: Pick<Workspace, 'directory' | 'documents' | 'projects'>,
  publicUrl: string,
): Routes =>
  newRoutes()
    .purpose('List your projects')
    .answers(projectList)
    .refuses('forbidden')
    .get('/projects', (ctx) => {
      const { caller } = ctx.state
      requireScope(caller, 'projects:read')
      ctx.body = {
        projects: workspace.directory.projects
          .readableBy(caller.member)
          .map(({ id, slug, name, archivedMs }) => ({
            slug,
            name,
            postCount: workspace.documents.lists.postCount(id),
            url: publicUrl + projectPagePath({ slug }),
            path: projectTreePath({ slug }),
            // Present for archived, read-only projects: epoch milliseconds.
            ...(archivedMs !== null && { archivedAt: archivedMs }),
          })),
      }
    })
    .purpose('Create a project')
    .answers(createdProject, 201)
    .refuses('forbidden')
    .post('/projects', createProject, async (ctx) => {
      const { caller } = ctx.state
      requireScope(caller, 'projects:read')
      const { name } = await createProject.fields(ctx)
      const project = await workspace.projects.create(caller, { name })
      ctx.status = 201
      ctx.body = { slug: project.slug, name: project.name }
    })
    .use(
      generatedFile(
        '/projects/:project',
        'Read a project’s briefing, its home page',
        async (ctx) => {
          sendDocument(ctx, await workspace.documents.briefing.read(ctx.state.caller, ctx.params.project!))
        },
        { headers: readConditions, answersHeaders: revisionHeaders, refuses: ['forbidden', 'not_found'] },
      ).routes(),
    )

/** The raw file. `GET /v1/fs/projects/<project>` answers with text that is generated from it. */
export const homePageRoutes = (
  { documents, live }: Pick<Workspace, 'documents' | 'live'>,
  markdownBytes: number,
): Routes =>
  writableFileRoutes({
    noun: 'home page',
    path: `/projects/:project/${readmePath}`,
    addressOf: ({ project }): FileAddress => ({ project: project!, folder: 'home', name: readmePath }),
    documents,
    live,
    markdownBytes,
  })
