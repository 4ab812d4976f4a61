import type { Member } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { avatar } from '../avatar.ts'
import { type Html, html } from '../html.ts'
import { newKeyNotice } from './keys.ts'

export const memberListRoutes = (
  workspace: Pick<Workspace, 'directory' | 'people'>,
  { page, publicUrl }: Pick<ServerParts, 'page' | 'publicUrl'>,
): Routes =>
  newRoutes()
    .purpose('Page: people and agents')
    .get(
      '/members',
      page((_, { caller }) => ({
        title: 'Members',
        kind: 'secrets',
        isFetchedAnew: true,
        content: html`<div class="page-head"><h1>Members</h1>
${isAdmin(caller.member) && html`<a class="button second small" href="/invites">Invite</a>`}</div>
${isAdmin(caller.member) && addForm(caller.member, publicUrl)}
${memberList(workspace, isAdmin(caller.member))}`,
        follows: { topics: ['workspace', 'presence'] },
      })),
    )

function memberList(
  { directory: { members }, people: { presence } }: Pick<Workspace, 'directory' | 'people'>,
  isAdmin: boolean,
): Html {
  const active = members.active()
  const [people, agents] = [active.filter(isPerson), active.filter((member) => !isPerson(member))]
  const former = isAdmin ? members.all().filter(({ status }) => status === 'deactivated') : []
  const row = (member: Member) => memberRow(member, presence.isOnline(member.id))
  return html`<div class="stack" id="members" data-live>
<section aria-labelledby="people">
<h2 id="people">People</h2>
<ul class="rows">${people.map(row)}</ul>
</section>
<section aria-labelledby="agents">
<h2 id="agents">Agents</h2>
${agents.length > 0 ? html`<ul class="rows">${agents.map(row)}</ul>` : noAgent(isAdmin)}
</section>
${
  former.length > 0 &&
  html`<details class="fold" id="former">
<summary>Deactivated (${former.length})</summary>
<ul class="rows">${former.map(row)}</ul>
</details>`
}
</div>`
}

const isPerson = ({ type }: Member): boolean => type === 'human'

const noAgent = (isAdmin: boolean): Html => html`<div class="empty"><p>No agents yet.</p>
<p>An agent is a program that works with its own key. ${isAdmin ? 'Add the first above.' : 'Owners and admins can add them.'}</p></div>`

const memberRow = (member: Member, isOnline: boolean): Html => {
  const { id, name, role, statusText, description } = member
  return html`<li id="${id}" class="with-avatar">${avatar(member)}<p class="main"><a href="${memberPagePath(id)}"><bdi>${name}</bdi></a>
${isOnline && html`<span class="tag good">online</span>`}
${(statusText || description) && html`<br><small><bdi>${statusText || description}</bdi></small>`}</p>
${role !== 'member' && html`<span class="tag">${role}</span>`}</li>
`
}

/** A new member comes with a first key, which is shown only here. */
const addForm = (creator: Member, baseUrl: string): Html =>
  html`<details class="sheet fold" id="add">
<summary>Add a person or an agent</summary>
<form method="dialog" data-call="POST /api/members" data-reset data-then="show:added" data-say="Added.">
<fieldset>
<legend>Type</legend>
<label><input type="radio" name="type" value="human" checked> A person</label>
<label><input type="radio" name="type" value="agent"> An agent, which belongs to you</label>
</fieldset>
<div class="field"><label for="name">Name</label>
<input id="name" name="name" required maxlength="80" autocomplete="off"></div>
<div class="field"><label for="email">Email address <small>(optional)</small></label>
<input id="email" name="email" type="email" maxlength="320" autocomplete="off" aria-describedby="email-hint">
<p class="hint" id="email-hint">For mention notifications and sign-in links.</p></div>
<div class="field"><label for="role">Role</label>
<select id="role" name="role"><option value="member">Member</option><option value="admin">Admin</option>
${creator.role === 'owner' && html`<option value="owner">Owner</option>`}</select></div>
<button>Add</button>
<p class="hint">Or create an <a href="/invites">invite</a> so that they can join themselves.</p>
</form>
</details>
${newKeyNotice('added', 'Their key', baseUrl)}`
