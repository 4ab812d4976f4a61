import type { Workspace } from '../../core/workspace/index.ts'
import { rejectUndeclaredInput } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { withListFields } from '../list-fields.ts'
import type { UploadOptions } from '../middleware/upload.ts'
import { askRoutes } from './asks.ts'
import { inboxRoutes } from './inbox.ts'
import { inviteRoutes } from './invites.ts'
import { keyRoutes, memberRoutes } from './members.ts'
import { messageRoutes, pinRoutes, reactionRoutes } from './messages.ts'
import { presenceRoutes, typingRoutes } from './presence.ts'
import { roomAttachmentRoutes, roomRoutes } from './rooms.ts'
import { webhookRoutes } from './webhooks.ts'
import { workspaceRoutes } from './workspace.ts'

export const apiRoutes = (workspace: Workspace, uploads: UploadOptions): Routes =>
  withListFields(
    rejectUndeclaredInput(
      [
        roomRoutes({
          service: workspace.rooms.rooms,
          management: workspace.rooms.management,
          places: workspace.rooms.places,
          projects: workspace.directory.projects,
        }),
        messageRoutes(workspace.rooms.messages),
        reactionRoutes(workspace.rooms.reactions),
        pinRoutes(workspace.rooms.pins),
        roomAttachmentRoutes(workspace.rooms.attachments, uploads),
        typingRoutes(workspace.rooms.typing),
        presenceRoutes(workspace.rooms.rooms),
        inboxRoutes(workspace.inbox.mentions),
        memberRoutes(workspace.people.members),
        keyRoutes(workspace.people.members),
        inviteRoutes(workspace.people.invites),
        webhookRoutes(workspace.webhooks.webhooks),
        askRoutes(workspace.asks.asks, workspace.directory.projects),
        workspaceRoutes(workspace.identity),
      ].reduce((api, part) => api.use(part.routes()), newRoutes()),
    ),
  )
