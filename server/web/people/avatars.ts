import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { initialsOf } from '../documents/present-members.ts'
import { html } from '../html.ts'

const maxAgeSeconds = 60 * 60

/** Pictures come from this server only, so that readers' browsers contact no other site. */
export const avatarRoutes = (
  workspace: Pick<Workspace, 'directory' | 'people'>,
  { browserSessions }: Pick<ServerParts, 'browserSessions'>,
): Routes =>
  newRoutes()
    .purpose('A member’s picture, or their initials if it cannot be fetched')
    .get('/avatars/:id', async (ctx) => {
      if (!browserSessions.find(ctx)) throw new WorkspaceError('unauthorized', 'Sign in to see pictures.')
      const member = workspace.directory.members.find(ctx.params.id!)
      if (!member) throw new WorkspaceError('not_found', 'Member not found.')
      const picture = await workspace.people.avatars.pictureOf(member)
      ctx.set({
        'Cache-Control': `private, max-age=${maxAgeSeconds}`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
      })
      ctx.type = picture?.type ?? 'image/svg+xml; charset=utf-8'
      ctx.body = picture?.bytes ?? initialsImage(initialsOf(member.name))
    })

const initialsImage = (initials: string): string =>
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#5b6472"/><text x="16" \
y="21" font-family="sans-serif" font-size="13" font-weight="600" fill="#fff" text-anchor="middle">${initials}</text></svg>`
    .text
