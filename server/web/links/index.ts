import { hasScope } from '../../../core/access/permissions.ts'
import { linksTreePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { Html, html } from '../html.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'

export const linkRoutes = (
  workspace: Pick<Workspace, 'directory' | 'projects' | 'rendering'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: the project’s links')
    .get(
      '/projects/:slug/links',
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const { body, revision } = workspace.projects.links.read(caller, project.slug)
        const lines = linesOf(body.toString())
        const shown = await workspace.rendering.texts.html(caller, [
          { key: 'links', body: lines.join('\n'), projectId: project.id },
        ])
        const isWritable = project.archivedMs === null && hasScope(caller, 'documents:write')
        return {
          title: `Links · ${project.name}`,
          content: html`${projectHeader(project, 'links')}
<div class="page-head"><h1>Links</h1></div>
<div id="links" data-live>
${lines.length > 0 ? html`<div class="prose">${new Html(shown.get('links')!)}</div>` : noLink}
</div>
${isWritable && editor(linksTreePath(project), lines, revision)}`,
          follows: { topics: [`project:${project.id}`] },
        }
      }),
    )

/** Leaves out the heading. */
const linesOf = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('- '))

const noLink = html`<div class="empty"><p>No links yet.</p>
<p>Useful links: a dashboard, a shared folder, a web page.</p></div>`

const editor = (path: string, lines: readonly string[], revision: string): Html =>
  html`<details class="sheet fold" id="change-links">
<summary>Edit links</summary>
<form method="dialog" id="links-form" data-live data-call="PUT ${path}?expectedRevision=${revision}" data-raw="links" \
data-say="Links saved." \
data-conflict="Someone else has changed the links. The saved version is shown below yours. Copy what you need and save again.">
<div class="field"><label for="links-text">One link per line</label>
<textarea id="links-text" name="links" class="mono" rows="8" spellcheck="false" \
placeholder="- [Title](https://example.org): a note" aria-describedby="links-hint" data-empty="text">
${lines.map((line) => `${line}\n`).join('')}</textarea>
<p class="hint" id="links-hint">As in <code>- [Title](https://example.org): a note</code>. The note is optional.</p></div>
<button>Save links</button>
</form>
</details>`
