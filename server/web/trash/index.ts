import type { TrashRow } from '../../../core/documents/model/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { dateTime } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { kindNames } from '../kind-names.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'

export const trashRoutes = (
  workspace: Pick<Workspace, 'directory' | 'files'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: what was deleted and can be restored')
    .get(
      '/projects/:slug/trash',
      page(async (ctx, { caller }) => {
        const project = requireProject(workspace, caller, ctx.params.slug!)
        const { trash } = await workspace.files.trash.list(caller, project.slug)
        return {
          title: `Trash · ${project.name}`,
          content: html`${projectHeader(project, 'trash')}
<div class="page-head"><h1>Trash</h1></div>
<div id="trash" data-live>
${trash.length > 0 ? html`<ul class="rows">${trash.map((one) => row(one, project.archivedMs === null))}</ul>` : emptyTrash}
</div>`,
          follows: { events: [project.id], topics: [`project:${project.id}`] },
        }
      }),
    )

const emptyTrash = html`<div class="empty"><p>The trash is empty.</p>
<p>Deleted items stay here for 30 days.</p></div>`

const row = ({ id, kind, filename, title, deletedAt, deletedBy, path }: TrashRow, isOpen: boolean): Html =>
  html`<li id="${id}"><p class="main"><strong><bdi>${title}</bdi></strong> <span class="tag">${kindNames[kind]}</span><br>
<small><bdi>${filename}</bdi> · deleted by <bdi>${deletedBy}</bdi> ${dateTime(deletedAt)}</small></p>
${
  isOpen &&
  html`<button class="second small" data-call="POST ${path}" data-say="Restored.">Restore<span class="unseen"> ${title}</span></button>`
}</li>
`
