import { mayManageProject } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { RepositoryView } from '../../../core/repositories/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { breadcrumb, file, folder, type RepositoryLocation } from './content.ts'

const path = '/projects/:slug/repositories'

export function repositoryPages(
  workspace: Pick<Workspace, 'code' | 'directory' | 'rendering'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes {
  const {
    code: { repositories },
  } = workspace
  const show = page(async (ctx, { caller }) => {
    const { dir, path: within = '' } = ctx.params
    const project = requireProject(workspace, caller, ctx.params.slug!)
    const inside = within.replace(/\/$/, '')
    const found = await repositories.open(caller, project.slug, dir!, inside)
    const location: RepositoryLocation = { project, dir: dir!, path: inside }
    return {
      title: `${inside || dir} · ${project.name}`,
      content: html`${projectHeader(project, 'repositories')}
${breadcrumb(location)}
<div id="repository" data-live>
${found.kind === 'folder' ? await folder(workspace, found, location, ctx) : await file(workspace, found, location, ctx)}
</div>`,
      follows: { topics: [`project:${project.id}`] },
      isWide: true,
    }
  })

  return newRoutes()
    .purpose('Page: code repositories')
    .get(
      path,
      page((ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const isAdmin = mayManageProject(
          caller.member,
          workspace.directory.projects.roleOf(project, caller.member),
        )
        return {
          title: `Repositories · ${project.name}`,
          content: html`${projectHeader(project, 'repositories')}
<div class="page-head"><h1>Repositories</h1></div>
${isAdmin && project.archivedMs === null && linkForm(project)}
${list(project, repositories.list(caller, project.slug), isAdmin)}`,
          follows: { topics: [`project:${project.id}`] },
        }
      }),
    )
    .purpose('Page: a repository')
    .get(`${path}/:dir`, show)
    .purpose('Page: a folder or file of a repository; ?source shows markdown as text')
    .get(`${path}/:dir/*path`, show)
}

function list(project: Project, rows: readonly RepositoryView[], isAdmin: boolean): Html {
  if (rows.length === 0)
    return html`<div class="empty" id="repositories" data-live><p>No repositories linked.</p>
<p>Link a repository to read it here and to see its pull requests beside their cards.</p></div>`
  return html`<ul class="rows" id="repositories" data-live>
${rows.map(
  ({ _id, dir, source, defaultBranch, refreshedAt, problem, forge }) =>
    html`<li id="${_id}"><p class="main"><a \
href="${projectPagePath(project, `repositories/${encodeURIComponent(dir)}`)}"><bdi>${dir}</bdi></a> ${
      forge && html`<span class="tag">pull requests</span>`
    }<br>
<small><bdi>${source}</bdi> · branch <bdi>${defaultBranch}</bdi> · checked ${dateTime(refreshedAt)}</small>
${problem !== null && html`<br><small class="warn">${problem}</small>`}</p>
${
  isAdmin &&
  html`<button class="quiet" data-call="DELETE /v1/projects/${project.id}/repositories/${encodeURIComponent(dir)}" \
data-confirm="Unlink ${bidiIsolate(dir)}? Its source is not changed." data-confirm-button="Unlink" >Unlink<span \
class="unseen"> ${dir}</span></button>`
}</li>
`,
)}</ul>`
}

/** For those who lead the project. */
const linkForm = ({ id }: Project): Html =>
  html`<details class="sheet fold" id="link-repository">
<summary>Link a repository</summary>
<form method="dialog" data-call="POST /v1/projects/${id}/repositories" data-reset data-say="Repository linked.">
<div class="field"><label for="dir">Name</label>
<input id="dir" name="dir" required maxlength="80" autocomplete="off" spellcheck="false" placeholder="website"></div>
<div class="field"><label for="source">Source</label>
<input id="source" name="source" required maxlength="2000" autocomplete="off" spellcheck="false" \
placeholder="https://git.example.org/team/website.git">
<p class="hint">An https address, or a path on the server within one of the folders in <code>repositories.roots</code>.</p></div>
<fieldset>
<legend>Pull requests (optional)</legend>
<div class="field"><label for="forge-api">Forge API URL</label>
<input id="forge-api" name="forge[api]" maxlength="2000" autocomplete="off" spellcheck="false" placeholder="https://api.github.com">
<p class="hint">GitHub, Gitea or Forgejo. Leave it empty if there is none.</p></div>
<div class="field"><label for="forge-owner">Owner</label>
<input id="forge-owner" name="forge[owner]" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="forge-name">Repository</label>
<input id="forge-name" name="forge[name]" maxlength="200" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="forge-token">Access token</label>
<input id="forge-token" name="forge[token]" type="password" maxlength="1000" autocomplete="off" spellcheck="false"></div>
</fieldset>
<button>Link repository</button>
</form>
</details>`
