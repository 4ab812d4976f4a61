import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import { columns, findColumn } from '../../../core/documents/model/columns.ts'
import { projectPagePath, projectTreePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { requireProject } from '../projects/frame.ts'
import { cardFields, draftFields, folderField } from './fields.ts'
import { type EditorPageData, editorFrame, newNonce } from './frame.ts'
import { archivedProjectPage } from './not-editable.ts'

type Kind = EditorPageData['kind']

/** `folder` is the path in the tree, `list` that of the page. */
const kinds: Record<Kind, { noun: string; words: string; folder: string; list: string }> = {
  document: {
    noun: 'document',
    words: 'A lasting reference: a guide, minutes, a plan. Everyone in the project can edit it.',
    folder: 'docs',
    list: 'docs',
  },
  post: {
    noun: 'post',
    words: 'News for everyone in the project. Others can comment. A published post cannot be changed.',
    folder: 'drafts',
    list: 'posts',
  },
  draft: {
    noun: 'draft',
    words: 'A post that only you can see until you publish it.',
    folder: 'drafts',
    list: 'drafts',
  },
  card: {
    noun: 'card',
    words: 'A task or a question on the board.',
    folder: 'board',
    list: 'board',
  },
}

/** `/projects/:slug/new?kind=`. Without a kind, offers a choice. */
export async function newPage(
  workspace: Pick<Workspace, 'directory' | 'documents' | 'projects' | 'random'>,
  ctx: RouteContext,
  caller: Caller,
): Promise<Page> {
  const project = requireProject(workspace, caller, ctx.params.slug!)
  if (project.archivedMs !== null) return archivedProjectPage(project, projectPagePath(project))
  const kind = queryText(ctx, 'kind')
  if (kind === undefined || !Object.hasOwn(kinds, kind)) return choicePage(project)
  const { noun, folder, list } = kinds[kind as Kind]
  const nonce = newNonce(workspace)
  const column = findColumn(queryText(ctx, 'column') ?? '') ?? columns[0].name
  const base = projectTreePath(project, folder)
  return {
    title: `New ${noun} · ${project.name}`,
    content: editorFrame(
      project,
      {
        kind: kind as Kind,
        project: project.slug,
        folder: kind === 'card' ? `${base}/${column}` : base,
        id: null,
        path: null,
        page: null,
        back: projectPagePath(project, list),
        nonce,
      },
      {
        heading: html`<h1 id="editor-title" data-live>New ${noun}</h1>`,
        fields: html`<p class="field"><label for="title">Title</label>
<input id="title" name="title" maxlength="2000" autocomplete="off" spellcheck="true" autofocus></p>
${await fieldsOf(workspace, ctx, caller, project, kind as Kind, column)}`,
        text: '',
      },
    ),
    isWide: true,
    kind: 'editor',
    styleNonce: nonce,
    isFetchedAnew: true,
  }
}

async function fieldsOf(
  { documents, projects: { projects } }: Pick<Workspace, 'documents' | 'projects'>,
  ctx: RouteContext,
  caller: Caller,
  project: Project,
  kind: Kind,
  column: string,
): Promise<Html | null> {
  if (kind === 'card') return cardFields(projects.members(caller, project.id), column)
  if (kind === 'draft') return draftFields
  if (kind === 'post') return null
  const known = await documents.details.list(caller, project.slug, 'documents')
  const folders = known.flatMap(({ filename }) => foldersOf(filename))
  return folderField([...new Set(folders)].sort(), queryText(ctx, 'folder') ?? '')
}

/** `a/b/c.md` is in `a` and `a/b`. */
const foldersOf = (filename: string): string[] =>
  filename
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))

function choicePage(project: Project): Page {
  const choice = ([kind, { noun, words }]: [string, (typeof kinds)[Kind]]): Html =>
    html`<li class="sheet"><h2><a href="${projectPagePath(project, 'new')}?kind=${kind}">${noun[0]!.toUpperCase() + noun.slice(1)}</a></h2>
<p>${words}</p></li>
`
  return {
    title: `New · ${project.name}`,
    content: html`<p class="trail"><a href="/projects">Projects</a> / <a \
href="${projectPagePath(project)}"><bdi>${project.name}</bdi></a></p>
<h1>What do you want to create?</h1>
<ul class="grid editor-choice">
${Object.entries(kinds).map(choice)}</ul>`,
  }
}
