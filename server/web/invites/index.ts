import type { Caller } from '../../../core/access/member.ts'
import { requireAdministration } from '../../../core/access/permissions.ts'
import type { InviteView } from '../../../core/members/invite-store.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { joinUrl } from '../join.ts'
import { copyable, expiryField, secretNotice } from '../people/keys.ts'
import { nameList } from '../rooms/name-list.ts'

export const invitePages = (
  workspace: Pick<Workspace, 'clock' | 'directory' | 'people'>,
  { page, publicUrl }: Pick<ServerParts, 'page' | 'publicUrl'>,
): Routes =>
  newRoutes()
    .purpose('Page: invites, for owners and admins')
    .get(
      '/invites',
      page((_, { caller }) => {
        requireAdministration(caller)
        return {
          title: 'Invites',
          kind: 'secrets',
          isFetchedAnew: true,
          content: html`<p class="trail"><a href="/members">Members</a> /</p>
<div class="page-head"><h1>Invites</h1></div>
${form(workspace, caller)}
${secretNotice('code', 'Invite code', 'code', onboarding(publicUrl))}
${inviteList(workspace, caller)}`,
          follows: { topics: ['workspace'] },
        }
      }),
    )

function inviteList(workspace: Pick<Workspace, 'directory' | 'people'>, caller: Caller): Html {
  const invites = workspace.people.invites.list(caller)
  return html`<div id="invites" data-live>
${
  invites.length > 0
    ? html`<ul class="rows">${invites.map((invite) => row(workspace, caller, invite))}</ul>`
    : html`<div class="empty"><p>No open invites.</p>
<p>With an invite link, people can join without a key. An agent joins with the code and gets its own key.</p></div>`
}
</div>`
}

function row(
  { directory, people }: Pick<Workspace, 'directory' | 'people'>,
  caller: Caller,
  invite: InviteView,
): Html {
  const { id, role, type, usesLeft, expiresAt, createdAt } = invite
  const by = directory.members.find(invite.createdBy)?.name ?? ''
  const places = people.invites.placeNames(caller, invite)
  return html`<li id="${id}"><p class="main"><strong>For ${
    type === null ? 'a person or an agent' : type === 'agent' ? 'an agent' : 'a person'
  }, as ${role}</strong><br>
<small>Created by <bdi>${by}</bdi> ${dateTime(createdAt)} · ${usesLeft === 1 ? 'one use' : `${usesLeft} uses`} left${
    expiresAt !== null && html` · until ${dateTime(expiresAt)}`
  }${places.length > 0 && html`<br>Joins ${nameList(places)}`}</small></p>
<button class="danger small" data-call="DELETE /api/invites/${id}" data-confirm="Revoke this invite?" \
data-confirm-button="Revoke">Revoke</button></li>
`
}

const form = (workspace: Pick<Workspace, 'clock' | 'people'>, caller: Caller): Html =>
  html`<section class="sheet" id="new-invite" aria-labelledby="new-invite-title">
<h2 id="new-invite-title">New invite</h2>
<form method="dialog" data-call="POST /api/invites" data-then="show:code">
<div class="field"><label for="type">For</label>
<select id="type" name="type"><option value="">A person or an agent</option><option value="human">A person</option><option \
value="agent">An agent</option></select></div>
<div class="field"><label for="role">Role</label>
<select id="role" name="role"><option value="member">Member</option><option value="admin">Admin</option>
${caller.member.role === 'owner' && html`<option value="owner">Owner</option>`}</select></div>
${placeFields(workspace, caller)}
<div class="field"><label for="uses">Number of people</label>
<input id="uses" name="uses" type="number" min="1" max="10000" value="1" data-as="number"></div>
${expiryField('expires', [1, 7, 30], workspace.clock.now(), 7)}
<button>Create invite</button>
</form>
</section>`

function placeFields(workspace: Pick<Workspace, 'people'>, caller: Caller): Html {
  const { projects, rooms } = workspace.people.invites.choices(caller)
  const own = projects.filter(({ isOwn }) => isOwn)
  return html`${
    projects.length > 0 &&
    html`<fieldset class="choices"><legend>Projects to join</legend>
${projects.map(
  ({ id, name }) =>
    html`<label><input type="checkbox" name="projects" data-as="list" value="${id}"${
      own.length === 1 && own[0]!.id === id && html` checked`
    }> <bdi>${name}</bdi></label>`,
)}
</fieldset>`
  }
${
  rooms.length > 0 &&
  html`<fieldset class="choices"><legend>Rooms to join</legend>
${rooms.map(
  ({ id, name, projectName }) =>
    html`<label><input type="checkbox" name="rooms" data-as="list" value="${id}"> <bdi>${name}</bdi>${
      projectName !== null && html` <small>(in <bdi>${projectName}</bdi>)</small>`
    }</label>`,
)}
</fieldset>`
}`
}

const onboarding = (baseUrl: string): Html =>
  html`<p>A person joins at:</p>
${copyable('code-address', html`<code>${joinUrl(baseUrl, html`<span data-from="code"></span>`)}</code>`)}
<p>An agent joins with this request, which returns its key:</p>
<p><code>curl -H "Content-Type: application/json" -d '{"invite": "<span \
data-from="code"></span>", "name": "…"}' ${baseUrl}/v1/onboard</code></p>`
