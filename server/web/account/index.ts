import { isAdmin, isFreshSignIn } from '../../../core/access/permissions.ts'
import { memberPagePath } from '../../../core/paths.ts'
import { involvements } from '../../../core/room-members/involvement.ts'
import type { SidebarRoom } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { type Html, html } from '../html.ts'
import { profileForm } from '../people/profile.ts'
import { workspaceForm } from '../people/workspace.ts'
import { ownKeysPath } from './keys.ts'
import { passkeysPath } from './passkeys.ts'

export const accountPages = (
  workspace: Pick<Workspace, 'clock' | 'identity' | 'rooms'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: your settings')
    .get(
      '/account',
      page((_, { caller }) => {
        const { member } = caller
        const { joined } = workspace.rooms.rooms.overview(caller)
        return {
          title: 'Settings',
          content: html`<div class="page-head"><h1>Settings</h1>
<div class="buttons"><a class="button second small" href="${memberPagePath(member.id)}">Your profile</a>
${
  member.type === 'human' &&
  html`<a class="button second small" href="${passkeysPath}">Passkeys</a>
<a class="button second small" href="${ownKeysPath}">Keys</a>
<a class="button second small" href="/account/notifications">Notifications</a>`
}
<a class="button second small" href="/account/sessions">Active sessions</a></div></div>
<div class="stack">
<section class="sheet" aria-labelledby="profile-title">
<h2 id="profile-title">Profile</h2>
${profileForm(member, isFreshSignIn(caller, workspace.clock.now()))}
</section>
<section aria-labelledby="involvement-title">
<h2 id="involvement-title">Room notifications</h2>
<div id="involvement" data-live>
${joined.length > 0 ? html`<ul class="rows">${joined.map(involvementRow)}</ul>` : html`<p class="hint">You are not in any room.</p>`}
</div>
</section>
${isAdmin(member) && workspaceSection(workspace.identity.name)}
</div>`,
          follows: { topics: ['workspace', `member:${member.id}`] },
        }
      }),
    )

const workspaceSection = (name: string): Html =>
  html`<section class="sheet" aria-labelledby="workspace-title">
<h2 id="workspace-title">Workspace</h2>
${workspaceForm(name)}
</section>`

const words = {
  everything: 'Everything',
  mentions: 'Mentions only',
  nothing: 'Nothing',
  invisible: 'Nothing, and hide the room',
} as const

const involvementRow = ({ id, name, path, involvement }: SidebarRoom): Html =>
  html`<li id="involvement-row-${id}"><p class="main"><a href="${path}"><bdi>${name}</bdi></a></p>
<form method="dialog" class="choice" id="choice-${id}" data-call="PUT /api/rooms/${id}/involvement" data-say="Saved.">
<label class="unseen" for="involvement-${id}">Notifications for ${name}</label>
<select id="involvement-${id}" name="involvement">${involvements.map(
    (one) => html`<option value="${one}"${one === involvement && html` selected`}>${words[one]}</option>`,
  )}</select>
<button class="second small">Save</button></form></li>
`
