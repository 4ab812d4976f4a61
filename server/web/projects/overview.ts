import type { Caller } from '../../../core/access/member.ts'
import { hasScope } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { untrackedProblem } from '../../../core/documents/model/untracked-folders.ts'
import { memberPagePath, projectPagePath } from '../../../core/paths.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { documentListItem } from '../documents/document-list-item.ts'
import { postRow } from '../documents/lists.ts'
import { Html, html } from '../html.ts'
import { projectHeader, requireProject } from './frame.ts'
import { nonMemberPage } from './non-member.ts'

const maxRecent = 5

export const projectOverviewRoutes = (
  workspace: Pick<Workspace, 'asks' | 'directory' | 'documents' | 'people' | 'projects' | 'rendering'>,
  { page }: Pick<ServerParts, 'page'>,
): Routes =>
  newRoutes()
    .purpose('Page: a project’s briefing, and what is new in it')
    .get(
      '/projects/:slug',
      page(async (ctx, { caller }) => {
        const view = workspace.projects.projects.overview(caller, ctx.params.slug!)
        if (view.role === null) return nonMemberPage(view, caller.member)
        const project = requireProject(workspace, caller, view._id)
        const [home, recent] = await Promise.all([
          workspace.rendering.documents.home(caller, project.slug),
          recentSections(workspace, caller, project),
        ])
        return {
          title: project.name,
          kind: 'project',
          content: html`${projectHeader(project, '')}
<div class="overview">
<article>
<div class="prose" id="prose" data-live${home && html` data-revision="${home.revision}"`}>
${home ? new Html(home.html) : noBriefing(project)}
</div>
<p class="hint">This is the <span class="mono">README.md</span> in the project’s folder.${
            project.archivedMs === null && html` <a href="${projectPagePath(project, 'edit')}">Edit it</a>`
          }</p>
</article>
<aside class="recent" id="recent" data-live>
${untrackedNotice(workspace, caller, project)}${recent}
</aside>
</div>`,
          isWide: true,
          follows: { events: [project.id], topics: [`project:${project.id}`, 'presence'] },
        }
      }),
    )

const noBriefing = ({ name }: Project): Html => html`<h1><bdi>${name}</bdi></h1>
<div class="empty"><p>This project has no briefing yet.</p>
<p>A briefing says what the project is for, who does what, and where things are.</p></div>`

/** Lists untracked files in the documents folder. */
function untrackedNotice(
  { documents }: Pick<Workspace, 'documents'>,
  caller: Caller,
  project: Project,
): Html | false {
  const found = hasScope(caller, 'documents:read')
    ? documents.details.untrackedFolders(caller, project.slug)
    : []
  if (found.length === 0) return false
  return html`<section aria-labelledby="untracked-title">
<h2 id="untracked-title">Untracked files</h2>
<ul class="rows">${found.slice(0, maxUntracked).map(
    (one) =>
      html`<li><p class="main"><span class="mono"><bdi>${one.folder === '' ? project.folder : one.folder}/</bdi></span> \
${untrackedProblem(one)}<br><small>${one.remedy}</small></p></li>
`,
  )}</ul>
${found.length > maxUntracked && html`<p class="hint">And ${found.length - maxUntracked} more folders. workroom doctor lists them all.</p>`}
</section>
`
}

const maxUntracked = 5

async function recentSections(
  workspace: Pick<Workspace, 'asks' | 'documents' | 'people' | 'projects'>,
  caller: Caller,
  project: Project,
): Promise<Html> {
  const { documents } = workspace
  const [posts, docs] = await Promise.all([
    documents.details.list(caller, project.slug, 'posts', maxRecent),
    documents.details.list(caller, project.slug, 'documents', maxRecent),
  ])
  const { asks } = workspace.asks.asks.list(caller, { project: project.id, state: 'open', limit: maxRecent })
  const isOpen = project.archivedMs === null
  return html`${section({
    id: 'posts',
    title: 'Posts',
    href: projectPagePath(project, 'posts'),
    rows: posts.map(postRow),
    empty: 'No posts yet.',
    first: isOpen && { href: `${projectPagePath(project, 'new')}?kind=post`, words: 'Write the first' },
  })}
${section({
  id: 'docs',
  title: 'Documents',
  href: projectPagePath(project, 'docs'),
  rows: docs.map(documentListItem),
  empty: 'No documents yet.',
  first: isOpen && { href: `${projectPagePath(project, 'new')}?kind=document`, words: 'Write the first' },
})}
${section({
  id: 'asks',
  title: 'Open asks',
  href: projectPagePath(project, 'asks'),
  rows: asks.map(
    ({ _id, title, kind }) =>
      html`<li id="${_id}"><p class="main"><a \
href="${projectPagePath(project, 'asks')}#${_id}"><bdi>${title}</bdi></a><br><small>${
        kind === 'question' ? 'a question' : 'work'
      }</small></p></li>
`,
  ),
  empty: 'No open asks.',
  first: false,
})}
${people(workspace, caller, project)}`
}

interface Section {
  id: string
  title: string
  href: string
  rows: readonly Html[]
  empty: string
  /** Shown if there are no rows. */
  first: { href: string; words: string } | false
}

const section = ({ id, title, href, rows, empty, first }: Section): Html =>
  html`<section aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="${href}">${title}</a></h2>
${
  rows.length > 0
    ? html`<ul class="rows">${rows}</ul>`
    : html`<p class="hint">${empty}${first && html` <a href="${first.href}">${first.words}</a>`}</p>`
}
</section>`

/** Members who are online come first. */
function people(
  { people: { presence }, projects: { projects } }: Pick<Workspace, 'people' | 'projects'>,
  caller: Caller,
  project: Project,
): Html {
  const members = projects.members(caller, project.id)
  const isHere = new Map(members.map(({ memberId }) => [memberId, presence.isOnline(memberId)]))
  const sorted = members.toSorted(
    (one, other) => Number(isHere.get(other.memberId)) - Number(isHere.get(one.memberId)),
  )
  return html`<section aria-labelledby="people-title">
<h2 id="people-title"><a href="${projectPagePath(project, 'settings')}">People</a></h2>
<ul class="in-project">
${sorted.slice(0, maxPeople).map(
  ({ memberId, name, type }) =>
    html`<li id="with-${memberId}"><a href="${memberPagePath(memberId)}"><bdi>${name}</bdi></a>${
      type === 'agent' && html` <span class="tag">agent</span>`
    }${isHere.get(memberId) && html` <span class="tag good">here</span>`}</li>
`,
)}</ul>
${members.length > maxPeople && html`<p class="hint"><a href="${projectPagePath(project, 'settings')}">All ${members.length}</a></p>`}
</section>`
}

const maxPeople = 30
