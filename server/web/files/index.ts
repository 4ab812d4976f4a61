import type { Caller } from '../../../core/access/member.ts'
import { mayManageProject } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import type { LibraryListItem } from '../../../core/files/types.ts'
import { filesTreePath, projectPagePath, projectTreePath } from '../../../core/paths.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { sendFile } from '../../send-file.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { dateTime } from '../dates.ts'
import { folderTree, nameOrder } from '../folder-tree.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'

const path = '/projects/:slug/files'

export const fileRoutes = (
  workspace: Pick<Workspace, 'directory' | 'files'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: uploaded files; ?folder=')
    .get(
      path,
      page((ctx, { caller }) => filesPage(workspace, ctx, caller)),
    )
    .purpose('An uploaded file, for signed-in members')
    .get(
      `${path}/*name`,
      page((ctx, { caller }) => {
        sendFile(ctx, workspace.files.library.open(caller, ctx.params.slug!, ctx.params.name!))
        return undefined
      }),
    )

async function filesPage(
  workspace: Pick<Workspace, 'directory' | 'files'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const { files, truncated } = await workspace.files.library.list(caller, project.slug)
  const isOpen = project.archivedMs === null
  const mayDelete =
    isOpen && mayManageProject(caller.member, workspace.directory.projects.roleOf(project, caller.member))
  const folder = (queryText(ctx, 'folder') ?? '').replaceAll(/^\/+|\/+$/g, '')
  return {
    title: `Files · ${project.name}`,
    kind: 'files',
    content: html`${projectHeader(project, 'files')}
<div class="page-head"><h1>Files</h1>
${isOpen && uploadButton}</div>
${isOpen && uploads(project)}
<div id="files" data-live>
${
  files.length === 0
    ? noFile(isOpen)
    : folderTree({
        items: files.toSorted((one, other) => nameOrder.compare(one.name, other.name)),
        nameOf: ({ name }) => name,
        row: (file) => row(project, file, mayDelete),
        folder,
        page: projectPagePath(project, 'files'),
        noun: 'file',
        rest: html`The rest are in the project’s folder.`,
      })
}
${truncated && html`<p class="hint">Only the first ${files.length} are shown.</p>`}
</div>`,
    follows: { topics: [`project:${project.id}`] },
  }
}

/** Looks like a button, and is a file field to keyboards and screen readers. */
const uploadButton = html`<label class="button small file-button">Upload files<input class="unseen" id="upload-files" type="file" \
autocomplete="off" multiple></label>`

/** Also receives files that are dropped anywhere on the page. */
const uploads = (project: Project): Html =>
  html`<div class="uploads" id="uploads" data-to="${filesTreePath(project)}" data-field="upload-files" \
data-keep aria-live="polite"></div>`

const noFile = (isOpen: boolean): Html => html`<div class="empty"><p>No files yet.</p>
<p>Images, spreadsheets, archives and other files of the project.${isOpen && ' Drop them anywhere on this page.'}</p></div>`

function row(
  project: Project,
  { name, type, size, updatedAt, path }: LibraryListItem,
  mayDelete: boolean,
): Html {
  const href = projectPagePath(project, `files/${name.split('/').map(encodeURIComponent).join('/')}`)
  return html`<li id="file-${path}"><p class="main"><a href="${href}"><bdi>${name.split('/').at(-1)!}</bdi></a><br>
<small>${formatBytes(size)} · ${type} · ${dateTime(updatedAt)}</small></p>
${
  mayDelete &&
  html`<button class="quiet" data-call="DELETE ${path}" data-say="Deleted." \
data-undo="POST ${projectTreePath(project, 'trash/{id}/_restore')}" \
data-confirm="Delete ${bidiIsolate(name)}? It stays in the trash for 30 days." data-confirm-button="Delete">Delete<span \
class="unseen"> ${name}</span></button>`
}</li>
`
}
