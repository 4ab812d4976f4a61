import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { DocumentDetails } from '../../../core/documents/model/types.ts'
import { projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { folderTree, folderTreeChanges, type TreeOptions } from '../folder-tree.ts'
import { type Html, html } from '../html.ts'
import { changesSince, wholePage } from '../page-changes.ts'
import type { Page } from '../pages.ts'
import { requireProject } from '../projects/frame.ts'
import { documentListItem, movableDocumentItem } from './document-list-item.ts'
import { listPage } from './lists.ts'

export async function documentListPage(
  workspace: Pick<Workspace, 'directory' | 'documents'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const documents = await workspace.documents.details.list(caller, project.slug, 'documents')
  const page = listPage(project, 'docs', {
    title: 'Documents',
    isEmpty: documents.length === 0,
    empty: html`<p>No documents yet.</p>
<p>Documents hold what the project knows, such as notes, guides and plans. Everyone in the project can edit \
them: here, through the API, or as files in the project’s folder.</p>`,
    kind: 'document',
    first: 'Write a document',
    list: folderTree(treeOf(project, ctx, documents)),
  })
  return { ...page, kind: 'documents', follows: { topics: [`docs:${project.id}`] } }
}

/**
 * Changes for `server/client/documents/list-changes.ts`.
 * @throws WorkspaceError `bad_request` for `?since=`; as `requireProject`
 */
export async function documentListChanges(
  workspace: Pick<Workspace, 'directory' | 'documents' | 'events'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Html> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  const { sequence } = workspace.events.changeTopics
  const changes = await workspace.documents.details.listedChanges(caller, project.slug, changesSince(ctx))
  if (!changes) return wholePage
  const content = folderTreeChanges(treeOf(project, ctx, changes.documents), changes)
  if (!content) return wholePage
  return html`<div id="changes" data-sequence="${sequence}" data-removed="${changes.removedIds.join(' ')}"${
    project.archivedMs === null && html` data-movable`
  }>${content}</div>`
}

function treeOf(
  project: Project,
  ctx: RouteContext,
  items: readonly DocumentDetails[],
): TreeOptions<DocumentDetails> {
  return {
    items,
    nameOf: ({ filename }) => filename,
    row: project.archivedMs === null ? movableDocumentItem : documentListItem,
    folder: (queryText(ctx, 'folder') ?? '').replaceAll(/^\/+|\/+$/g, ''),
    page: projectPagePath(project, 'docs'),
    noun: 'document',
    rest: html`These were edited most recently. Use <a href="/search">search</a> to find the others.`,
  }
}
