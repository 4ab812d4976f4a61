import type { Caller, Member } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'
import { workspaceForm } from '../people/workspace.ts'

interface FirstSteps {
  owner: Member
  workspaceName: string
  /** A project in which a document can be written. */
  project: Project | undefined
  /** The server's public URL. */
  baseUrl: string
}

export const firstSteps = ({ owner, workspaceName, project, baseUrl }: FirstSteps): Html =>
  html`<section aria-labelledby="first-steps">
<h2 id="first-steps">Get started</h2>
<ol class="grid">
<li class="sheet"><h3>Set your name</h3>
<form method="dialog" id="own-name" data-call="PATCH /api/members/${owner.id}" data-say="Saved.">
<div class="field"><label for="your-name">Your name</label>
<input id="your-name" name="name" value="${owner.name}" required maxlength="80" autocomplete="name" aria-describedby="your-name-hint">
<p class="hint" id="your-name-hint">Others see this name and use it to mention you.</p></div>
<button class="second small">Save</button>
</form></li>
<li class="sheet"><h3>Name the workspace</h3>
${workspaceForm(workspaceName)}</li>
<li class="sheet"><h3>Invite someone</h3>
<p>People and agents work in the same rooms and projects, and read the same files.</p>
<p><a class="button second small" href="/invites">Invite</a></p></li>
<li class="sheet"><h3>Write a document</h3>
<p>A document is a Markdown file in a folder. Edit it here, in any editor, or from any program.</p>
<p><a class="button second small" href="${project ? `${projectPagePath(project, 'new')}?kind=document` : '/projects'}">Write a \
document</a></p></li>
<li class="sheet"><h3>Connect an agent</h3>
<p>Add an agent and give it its key. It can start with this request:</p>
<pre class="command-line" tabindex="0"><code>curl -H "Authorization: Bearer &lt;key&gt;" \\
  ${baseUrl}/v1/fs</code></pre>
<p><a class="button second small" href="/members#name">Add an agent</a></p></li>
</ol>
</section>`

/** For this long after joining, the home page shows first steps. */
const newcomerMs = 3 * 24 * 60 * 60 * 1000

const maxListed = 5

/** False for anyone who has not just joined. */
export function newcomerSteps(
  workspace: Pick<Workspace, 'clock' | 'directory' | 'rooms'>,
  caller: Caller,
): Html | false {
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
