import type { Member } from '../../../core/access/member.ts'
import { isAdmin as mayAdminister, mayManageProject } from '../../../core/access/permissions.ts'
import { memberPagePath } from '../../../core/paths.ts'
import type { ProjectMemberView, ProjectView } from '../../../core/projects/projects.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { type Html, html } from '../html.ts'
import { projectHeader, requireProject } from './frame.ts'
import { joinButton, nonMemberHeader } from './non-member.ts'

export const projectSettingsRoutes = (
  workspace: Pick<Workspace, 'directory' | 'projects'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: a project’s members, name and archiving')
    .get(
      '/projects/:slug/settings',
      page((ctx, { caller }) => {
        const view = workspace.projects.projects.overview(caller, ctx.params.slug!)
        const head =
          view.role === null
            ? nonMemberHeader(view)
            : projectHeader(requireProject(workspace, caller, view._id), 'settings')
        const present = workspace.projects.projects.members(caller, view._id)
        const isIn = new Set(present.map(({ memberId }) => memberId))
        return {
          title: `Settings · ${view.name}`,
          content: html`${head}
<div class="page-head"><h1>Settings</h1></div>
<div class="stack">
${settings({
  project: view,
  present,
  others: workspace.directory.members.active().filter(({ id }) => id !== caller.member.id && !isIn.has(id)),
  reader: caller.member,
  isAdmin: mayManageProject(caller.member, view.role),
})}
</div>`,
          follows: { topics: ['workspace', `project:${view._id}`] },
        }
      }),
    )

interface Settings {
  project: ProjectView
  present: readonly ProjectMemberView[]
  others: readonly Member[]
  reader: Member
  isAdmin: boolean
}

const settings = ({ project, present, others, reader, isAdmin }: Settings): Html =>
  html`<section aria-labelledby="members-title">
<h2 id="members-title">Members</h2>
${
  project.role === null &&
  html`<p class="hint">You are not in this project, so you cannot read it. Its members are notified when you add someone.</p>
<p class="buttons">${joinButton(project, reader)}</p>`
}
<ul class="rows" id="project-members" data-live>
${present.map((member) => memberRow(project, member, { reader, isAdmin }))}</ul>
${isAdmin && addForm(project, others)}
</section>
${
  isAdmin &&
  html`${nameForm(project)}
${addressForm(project)}
${archiving(project)}`
}
${mayAdminister(reader) && deletion(project)}`

function memberRow(
  { _id: projectId }: ProjectView,
  { memberId, name, type, role }: ProjectMemberView,
  { reader, isAdmin }: { reader: Member; isAdmin: boolean },
): Html {
  const isReader = memberId === reader.id
  const other = role === 'lead' ? 'member' : 'lead'
  return html`<li id="in-${memberId}"><p class="main"><a href="${memberPagePath(memberId)}"><bdi>${name}</bdi></a>
${type === 'agent' && html`<span class="tag">agent</span>`} ${role === 'lead' && html`<span class="tag good">lead</span>`}</p>
<div class="buttons">
${
  isAdmin &&
  html`<button class="quiet" data-call="POST /v1/projects/${projectId}/members" \
data-json="${JSON.stringify({ memberId, role: other })}">Make ${other}<span class="unseen"> ${name}</span></button>`
}
${
  (isAdmin || isReader) &&
  html`<button class="quiet" data-call="DELETE /v1/projects/${projectId}/members/${memberId}" \
data-confirm="${isReader ? 'Leave this project? You lose access to it.' : `Remove ${bidiIsolate(name)} from this project?`}" \
data-confirm-button="${isReader ? 'Leave' : 'Remove'}"${
    isReader && html` data-then="go:/projects"`
  }>${isReader ? 'Leave' : html`Remove<span class="unseen"> ${name}</span>`}</button>`
}
</div></li>
`
}

function addForm({ _id: id }: ProjectView, others: readonly Member[]): Html {
  return html`<div id="add-member" data-live>
${
  others.length === 0
    ? html`<p class="hint">All members of the workspace are in this project.</p>`
    : html`<form method="dialog" class="inline" id="add-member-form" data-call="POST /v1/projects/${id}/members" data-say="Added.">
<div class="field"><label for="member">Add a member</label>
<select id="member" name="memberId" required>
${others.map(({ id, name, type }) => html`<option value="${id}">${name}${type === 'agent' && ' (agent)'}</option>`)}
</select></div>
<div class="field narrow"><label for="role">Role</label>
<select id="role" name="role"><option value="member">Member</option><option value="lead">Lead</option></select></div>
<button class="second">Add</button>
</form>`
}
</div>`
}

const nameForm = ({ _id: id, name }: ProjectView): Html =>
  html`<section aria-labelledby="name-title">
<h2 id="name-title">Name</h2>
<form method="dialog" class="inline" id="rename" data-live data-call="PATCH /v1/projects/${id}" data-say="Renamed.">
<div class="field"><label class="unseen" for="name">The project’s name</label>
<input id="name" name="name" value="${name}" maxlength="80" required autocomplete="off" aria-describedby="name-hint"></div>
<button>Rename</button>
</form>
<p class="hint" id="name-hint">Its address and folder do not change.</p>
</section>`

const addressForm = ({ _id: id, slug }: ProjectView): Html =>
  html`<section aria-labelledby="address-title">
<h2 id="address-title">Address</h2>
<form method="dialog" class="inline" id="readdress" data-live data-call="PATCH /v1/projects/${id}" \
data-then="go:/projects/{project.slug}/settings">
<div class="field"><label class="unseen" for="slug">The project’s address</label>
<input id="slug" name="slug" value="${slug}" maxlength="80" required autocomplete="off" autocapitalize="none" spellcheck="false" \
aria-describedby="slug-hint"></div>
<button class="second">Change address</button>
</form>
<p class="hint" id="slug-hint">Lower-case letters, digits and hyphens. Links to the former address still work. The folder on \
disk keeps its name.</p>
</section>`

const archiving = ({ _id: id, archivedAt }: ProjectView): Html =>
  html`<section aria-labelledby="archive-title" id="archiving" data-live>
<h2 id="archive-title">${archivedAt === null ? 'Archive' : 'Reopen'}</h2>
${
  archivedAt === null
    ? html`<p class="hint before">An archived project is read-only. You can reopen it at any time.</p>
<button class="danger" data-call="PATCH /v1/projects/${id}" data-json="{&quot;archived&quot;:true}" data-say="Project archived." \
data-undo="PATCH /v1/projects/${id}" data-undo-json="{&quot;archived&quot;:false}" data-confirm="Archive this project?" \
data-confirm-button="Archive">Archive this project</button>`
    : html`<p class="hint before">Its members can make changes again, and drafts that came due are published.</p>
<button data-call="PATCH /v1/projects/${id}" data-json="{&quot;archived&quot;:false}">Reopen</button>`
}
</section>`

/** For owners and admins, who must type the name. */
const deletion = ({ _id: id, name }: ProjectView): Html =>
  html`<section aria-labelledby="delete-title" id="deletion">
<h2 id="delete-title">Delete</h2>
<details class="sheet fold" id="delete-project">
<summary>Delete this project</summary>
<form method="dialog" data-call="DELETE /v1/projects/${id}?name={name}" data-then="go:/projects">
<p>Everything in it becomes inaccessible to everyone: documents, board, files, rooms and asks. Owners and admins can restore it \
for 30 days.</p>
<div class="field"><label for="confirm-name">Type <bdi>${name}</bdi> to confirm</label>
<input id="confirm-name" name="name" required maxlength="80" autocomplete="off"></div>
<button class="danger">Delete project</button>
</form>
</details>
</section>`
