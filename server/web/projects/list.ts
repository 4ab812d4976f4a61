import type { Caller, Member } from '../../../core/access/member.ts'
import { isAdmin } from '../../../core/access/permissions.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { ProjectView } from '../../../core/projects/projects.ts'
import type { DeletedProjectView } from '../../../core/trash/deleted-projects.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { joinButton } from './non-member.ts'

export const projectListRoutes = (
  { projects: { projects, deleted } }: Pick<Workspace, 'projects'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: your projects')
    .get(
      '/projects',
      page((_, { caller }) => ({
        title: 'Projects',
        content: html`<div class="page-head"><h1>Projects</h1></div>
${newProject}
${projectList(projects.list(caller, { all: true }), caller)}
<div id="deleted-projects" data-live>${isAdmin(caller.member) && deletedProjects(deleted.list(caller))}</div>`,
        follows: { topics: ['workspace', `member:${caller.member.id}`] },
      })),
    )

const newProject = html`<details class="sheet fold" id="new-project">
<summary>New project</summary>
<form method="dialog" data-call="POST /v1/projects" data-then="go:{project.url}">
<div class="field">
<label for="name">Name</label>
<input id="name" name="name" maxlength="80" required autocomplete="off" aria-describedby="name-hint">
<p class="hint" id="name-hint">Creates a folder of Markdown files. You become its lead and can add others.</p>
</div>
<button>Create project</button>
</form>
</details>`

function projectList(projects: readonly ProjectView[], { member }: Caller): Html {
  const own = projects.filter(({ role }) => role !== null)
  const others = projects.filter(({ role }) => role === null)
  const open = own.filter(({ archivedAt }) => archivedAt === null)
  const archived = own.filter(({ archivedAt }) => archivedAt !== null)
  return html`<div id="projects" data-live>
${open.length > 0 ? html`<ul class="rows">${open.map(row)}</ul>` : noProject}
${
  archived.length > 0 &&
  html`<details class="fold" id="archived">
<summary>Archived (${archived.length})</summary>
<ul class="rows">${archived.map(row)}</ul>
</details>`
}
${
  others.length > 0 &&
  html`<section aria-labelledby="others-title">
<h2 id="others-title">Projects that you are not in</h2>
<p class="hint">As ${nounOf[member.role]} you manage these projects. Add yourself to read one; its members are notified.</p>
<ul class="rows">${others.map((project) => otherRow(project, member))}</ul>
</section>`
}
</div>`
}

const deletedProjects = (projects: readonly DeletedProjectView[]): Html | false =>
  projects.length > 0 &&
  html`<details class="fold" id="deleted">
<summary>Deleted (${projects.length})</summary>
<ul class="rows">${projects.map(
    ({ _id, name, deletedAt, deletedBy }) =>
      html`<li id="deleted-${_id}"><p class="main"><bdi>${name}</bdi><br>
<small>Deleted by <bdi>${deletedBy}</bdi> ${dateTime(deletedAt)}</small></p>
<button class="second small" data-call="POST /v1/projects/${_id}/_restore" data-say="Restored.">Restore<span \
class="unseen"> ${name}</span></button></li>
`,
  )}</ul>
</details>`

const noProject = html`<div class="empty"><p>You are not in any project yet.</p>
<p>Create one above, or ask a lead to add you.</p></div>`

const row = (project: ProjectView): Html =>
  html`<li id="${project._id}"><p class="main"><a href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a><br>
<small>${project.postCount === 1 ? '1 post' : `${project.postCount} posts`}</small></p>
${project.role === 'lead' && html`<span class="tag">lead</span>`}</li>
`

const nounOf = { owner: 'an owner', admin: 'an admin', member: 'a member' } as const

const otherRow = (project: ProjectView, member: Member): Html =>
  html`<li id="${project._id}"><p class="main"><bdi>${project.name}</bdi></p>
${project.archivedAt !== null && html`<span class="tag">archived</span>`}<div class="buttons">
<a class="button second small" href="${projectPagePath(project, 'settings')}">Settings<span class="unseen"> of ${project.name}</span></a>
${joinButton(project, member)}
</div></li>
`
