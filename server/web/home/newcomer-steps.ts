import type { Caller } from '../../../core/access/member.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'

/** For this long after joining, the home page shows first steps. */
const newcomerMs = 3 * 24 * 60 * 60 * 1000

const maxListed = 5

/** False for anyone who has not just joined. */
export function newcomerSteps(workspace: Workspace, caller: Caller): Html | false {
  const { clock, directory, rooms } = workspace
  const { member } = caller
  const isNew = clock.now() - member.createdMs < newcomerMs && member.createdMs <= clock.now()
  if (!isNew || member.type !== 'human' || directory.members.firstOwner().id === member.id) return false
  const projects = directory.projects.readableBy(member).slice(0, maxListed)
  const joined = rooms.rooms.overview(caller).joined.slice(0, maxListed)
  return html`<section aria-labelledby="first-steps">
<h2 id="first-steps">Get started</h2>
<ol class="grid">
<li class="sheet"><h3>Say hello</h3>
${links(
  joined.map(({ path, name }) => ({ path, name })),
  'You are not in any room yet.',
)}
<p><a class="button second small" href="/rooms">All rooms</a></p></li>
<li class="sheet"><h3>Read what your team works on</h3>
${links(
  projects.map((project) => ({ path: projectPagePath(project), name: project.name })),
  'You are not in any project yet. Create one, or ask a colleague to add you.',
)}
<p><a class="button second small" href="/projects">All projects</a></p></li>
<li class="sheet"><h3>Tell others who you are</h3>
<p>Add a few words about yourself, and choose what you are notified about.</p>
<p><a class="button second small" href="/account">Settings</a></p></li>
</ol>
</section>`
}

const links = (targets: readonly { path: string; name: string }[], empty: string): Html =>
  targets.length === 0
    ? html`<p>${empty}</p>`
    : html`<ul>${targets.map(({ path, name }) => html`<li><a href="${path}"><bdi>${name}</bdi></a></li>`)}</ul>`
