import { isUtf8 } from 'node:buffer'
import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Address, OpenDocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { html } from '../html.ts'
import { type Page, redirect } from '../pages.ts'
import { requireProject } from '../projects/frame.ts'
import { cardFields, draftFields } from './fields.ts'
import { type EditorPageData, editorFrame, newNonce } from './frame.ts'
import { archivedProjectPage, notUtf8Page } from './not-editable.ts'

/** Other names of the document redirect to the current one. @throws WorkspaceError as a read of the file */
export async function editPage(
  workspace: Pick<Workspace, 'directory' | 'documents' | 'projects' | 'random'>,
  ctx: RouteContext,
  caller: Caller,
  address: Address,
): Promise<Page | undefined> {
  const { documents } = workspace
  const project = requireProject(workspace, caller, address.project)
  const details = await documents.details.read(caller, address)
  if (!details.may.edit) return archivedProjectPage(project, details.page)
  const ownPath = editPathOf(project, details)
  if (decodeURIComponent(ownPath).normalize() !== decodeURIComponent(ctx.path).normalize()) {
    redirect(ctx, ownPath)
    return undefined
  }
  const { body } = await documents.reads.read(caller, address)
  if (!isUtf8(body) || body.includes(0)) return notUtf8Page(project, details)
  const nonce = newNonce(workspace)
  const editor: EditorPageData = {
    kind: details.kind as EditorPageData['kind'],
    project: project.slug,
    folder: details.path.slice(0, details.path.lastIndexOf('/')),
    id: details.id,
    path: details.path,
    page: details.page,
    back: details.page,
    nonce,
  }
  return {
    title: `Edit ${details.title} · ${project.name}`,
    content: editorFrame(project, editor, {
      heading: html`<h1 id="editor-title" data-live><bdi>${details.title}</bdi></h1>`,
      fields: fieldsOf(workspace, caller, project, details),
      text: body.toString(),
    }),
    isWide: true,
    kind: 'editor',
    styleNonce: nonce,
    isFetchedAnew: true,
  }
}

const editPathOf = (project: Project, { page }: Pick<OpenDocumentDetails, 'page'>): string =>
  `${projectPagePath(project)}/edit${page.slice(projectPagePath(project).length)}`

function fieldsOf(
  workspace: Pick<Workspace, 'projects'>,
  caller: Caller,
  project: Project,
  { kind }: OpenDocumentDetails,
) {
  if (kind === 'card') return cardFields(workspace.projects.projects.members(caller, project.id), null)
  return kind === 'draft' ? draftFields : null
}
