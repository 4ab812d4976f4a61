import type { Member } from '../../../core/access/member.ts'
import { mayManageProject } from '../../../core/access/permissions.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'

/** The member's projects that the reader may list, and a way to add the member to others. */
export function projectsOf({ directory: { projects } }: Workspace, reader: Member, member: Member): Html {
  const visible = projects.listableBy(reader).map((project) => ({
    ...project,
    role: projects.roleOf(project, member),
    own: projects.roleOf(project, reader),
  }))
  const joined = visible.filter(({ role }) => role !== null)
  const joinable = visible.filter(
    ({ role, own: readerRole, archivedMs }) =>
      role === null && archivedMs === null && mayManageProject(reader, readerRole),
  )
  return html`<section aria-labelledby="projects-title">
<h2 id="projects-title">Projects</h2>
<div id="projects" data-live>
${
  joined.length > 0
    ? html`<ul class="rows">${joined.map(
        ({ id, slug, name, role, archivedMs }) =>
          html`<li id="in-${id}"><p class="main"><a href="${projectPagePath({ slug })}"><bdi>${name}</bdi></a></p>${
            role === 'lead' && html`<span class="tag">lead</span>`
          }${archivedMs !== null && html`<span class="tag">archived</span>`}</li>
`,
      )}</ul>`
    : html`<p class="hint">None that you can see.</p>`
}
${
  joinable.length > 0 &&
  member.status === 'active' &&
  html`<form method="dialog" class="inline" id="join-project" data-call="POST /v1/projects/{project}/members" data-say="Added.">
<input type="hidden" name="memberId" value="${member.id}">
<div class="field"><label for="project">Add to a project</label>
<select id="project" name="project" required>${joinable.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></div>
<button class="second">Add</button>
</form>`
}
</div>
</section>`
}
