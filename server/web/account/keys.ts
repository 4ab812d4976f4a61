import { isFreshSignIn } from '../../../core/access/permissions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { html } from '../html.ts'
import { keySection, signInAgainPath } from '../people/keys.ts'

export const ownKeysPath = '/account/keys'

export const ownKeyRoutes = (
  workspace: Pick<Workspace, 'clock' | 'people'>,
  { page, publicUrl }: Pick<ServerParts, 'page' | 'publicUrl'>,
): Routes =>
  newRoutes()
    .purpose('Page: your keys')
    .get(
      ownKeysPath,
      page((_, { caller }) => {
        const { member } = caller
        const nowMs = workspace.clock.now()
        return {
          title: 'Your keys',
          kind: 'secrets',
          isFetchedAnew: true,
          content: html`<p class="trail"><a href="/account">Settings</a> /</p>
<div class="page-head"><h1>Your keys</h1></div>
<p class="lead before">A key lets a program, a command-line tool or a network drive act as you. You do not need one to use these pages.</p>
<div class="stack">
${keySection(member, {
  keys: workspace.people.members.keys(caller, member.id),
  baseUrl: publicUrl,
  nowMs,
  signInPath: isFreshSignIn(caller, nowMs) ? null : signInAgainPath(ownKeysPath),
})}
</div>`,
          follows: { topics: [`member:${member.id}`] },
        }
      }),
    )
