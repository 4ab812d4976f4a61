import type { Member } from '../../../core/access/member.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { ProjectView } from '../../../core/projects/projects.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'

export const joinButton = (project: ProjectView, { id: memberId }: Member): Html =>
  html`<button class="small" data-call="POST /v1/projects/${project._id}/members" data-json="${JSON.stringify({ memberId })}" \
data-then="go:${projectPagePath(project)}">Add yourself<span class="unseen"> to ${project.name}</span></button>`

export const nonMemberHeader = ({ name }: ProjectView): Html =>
  html`<p class="trail"><a href="/projects">Projects</a> / <bdi>${name}</bdi></p>`

/** A project for an owner or admin who is not in it: none of its content, and a way to join. */
export const nonMemberPage = (project: ProjectView, reader: Member): Page => ({
  title: project.name,
  content: html`${nonMemberHeader(project)}
<div id="outside" data-live>
<h1><bdi>${project.name}</bdi></h1>
<p>You are not in this project, so you cannot read it. As ${reader.role === 'owner' ? 'an owner' : 'an admin'} you can add \
yourself. The project's members are notified.</p>
<p class="buttons">${joinButton(project, reader)} <a class="button second small" \
href="${projectPagePath(project, 'settings')}">Settings</a></p>
</div>`,
  follows: { topics: ['workspace', `member:${reader.id}`] },
})
