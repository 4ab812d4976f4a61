import type { Member } from '../../../core/access/member.ts'
import { requireAdministration } from '../../../core/access/permissions.ts'
import type { InviteView } from '../../../core/members/invite-store.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { joinUrl } from '../join.ts'
import { copyable, secretNotice } from '../people/keys.ts'
import type { PageDeps } from '../signed-in.ts'

export const invitePages = ({ workspace, page, publicUrl }: PageDeps): Routes =>
  newRoutes()
    .purpose('Page: invites, for owners and admins')
    .get(
      '/invites',
      page((_, { caller }) => {
        requireAdministration(caller)
        return {
          title: 'Invites',
          content: html`<p class="trail"><a href="/members">Members</a> /</p>
<div class="page-head"><h1>Invites</h1></div>
${form(caller.member)}
${secretNotice('code', 'The code', 'code', onboarding(publicUrl))}
${inviteList(workspace, workspace.people.invites.list(caller))}`,
          follows: { touches: ['workspace'] },
        }
      }),
    )

const inviteList = ({ directory: { members } }: Workspace, invites: readonly InviteView[]): Html =>
  html`<div id="invites" data-live>
${
  invites.length > 0
    ? html`<ul class="rows">${invites.map((invite) => row(invite, members.find(invite.createdBy)?.name ?? ''))}</ul>`
    : html`<div class="empty"><p>No open invites.</p>
<p>With an invite code, people and agents can join and get their own key.</p></div>`
}
</div>`

const row = ({ id, role, type, usesLeft, expiresAt, createdAt }: InviteView, by: string): Html =>
  html`<li id="${id}"><p class="main"><strong>For ${type === null ? 'a person or an agent' : type === 'agent' ? 'an agent' : 'a person'}, as ${role}</strong><br>
<small>Created by <bdi>${by}</bdi> ${dateTime(createdAt)} · ${usesLeft === 1 ? 'one use' : `${usesLeft} uses`} left${expiresAt !== null && html` · until ${dateTime(expiresAt)}`}</small></p>
<button class="danger small" data-call="DELETE /api/invites/${id}" data-confirm="Revoke this invite?" data-confirm-button="Revoke">Revoke</button></li>
`

const form = (inviting: Member): Html =>
  html`<details class="sheet fold" id="new-invite">
<summary>New invite</summary>
<form method="dialog" data-call="POST /api/invites" data-then="show:code">
<div class="field"><label for="type">For</label>
<select id="type" name="type"><option value="">A person or an agent</option><option value="human">A person</option><option value="agent">An agent</option></select></div>
<div class="field"><label for="role">As</label>
<select id="role" name="role"><option value="member">Member</option><option value="admin">Admin</option>
${inviting.role === 'owner' && html`<option value="owner">Owner</option>`}</select></div>
<div class="field"><label for="uses">Number of uses</label>
<input id="uses" name="uses" type="number" min="1" max="1000" value="1" data-as="number"></div>
<button>Create invite</button>
</form>
</details>`

const onboarding = (baseUrl: string): Html =>
  html`<p>A person joins at:</p>
${copyable('code-address', html`<code>${joinUrl(baseUrl, html`<span data-from="code"></span>`)}</code>`)}
<p>An agent joins with this request, which returns its key:</p>
<p><code>curl -H "Content-Type: application/json" -d '{"invite": "<span data-from="code"></span>", "name": "…"}' ${baseUrl}/v1/onboard</code></p>`
