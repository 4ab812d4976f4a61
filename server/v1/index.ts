import type { Workspace } from '../../core/workspace/index.ts'
import { rejectUndeclaredInput } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { withListFields } from '../list-fields.ts'
import type { ServerParts } from '../parts.ts'
import { commentRoutes } from './comments.ts'
import { eventRoutes } from './events.ts'
import { inboxRoutes } from './inbox.ts'
import { onboardRoutes } from './onboard.ts'
import { postRoutes } from './posts.ts'
import { presenceRoutes } from './presence.ts'
import { projectRoutes } from './projects.ts'
import { repositoryRoutes } from './repositories.ts'
import { searchRoutes } from './search.ts'
import { skillRoutes } from './skills.ts'
import { wakeRoutes } from './wakes.ts'

export const v1Routes = (
  workspace: Workspace,
  {
    limits,
    onboardingRate,
    stopping,
    trustProxy,
  }: Pick<ServerParts, 'limits' | 'onboardingRate' | 'stopping' | 'trustProxy'>,
): Routes =>
  withListFields(
    rejectUndeclaredInput(
      [
        commentRoutes(workspace.comments.posts, { path: '/v1/posts', noun: 'a post' }),
        commentRoutes(workspace.comments.documents, { path: '/v1/documents', noun: 'a document or card' }),
        inboxRoutes(workspace),
        eventRoutes(workspace.events.live, stopping),
        wakeRoutes(workspace.webhooks.wakes, stopping),
        presenceRoutes(workspace.documents.presence),
        projectRoutes(workspace.projects),
        repositoryRoutes(workspace.code.repositories),
        postRoutes(workspace.posts, workspace.directory.projects, limits.markdownBytes),
        searchRoutes(workspace.search.texts),
        onboardRoutes(workspace, { onboardingRate, trustProxy }),
        skillRoutes(workspace.skills.skills, workspace.directory.projects),
      ].reduce((v1, part) => v1.use(part.routes()), newRoutes()),
    ),
  )
