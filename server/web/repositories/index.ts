import { mayManageProject } from '../../../core/access/permissions.ts'
import type { Project } from '../../../core/access/project.ts'
import { projectPagePath, repositoriesTreePath } from '../../../core/paths.ts'
import type { RepositoryFile, RepositoryFolder, RepositoryView } from '../../../core/repositories/types.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import { newRoutes, type RouteContext, type Routes } from '../../context.ts'
import { bidiIsolate } from '../bidi-isolate.ts'
import { code, maxShownBytes } from '../code.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import { projectHeader, requireProject } from '../projects/frame.ts'
import { pageForPath } from '../repository-links.ts'
import type { PageDeps } from '../signed-in.ts'
import { folderOf } from './folder.ts'
import { linkForm } from './link-form.ts'

const path = '/projects/:slug/repositories'

export function repositoryPages({ workspace, page }: PageDeps): Routes {
  const {
    code: { repositories },
  } = workspace
  const show = page(async (ctx, { caller }) => {
    const { dir, path: within = '' } = ctx.params
    const project = requireProject(workspace, caller, ctx.params.slug!)
    const inside = within.replace(/\/$/, '')
    const found = await repositories.open(caller, project.slug, dir!, inside)
    const place: RepositoryLocation = { project, dir: dir!, path: inside }
    return {
      title: `${inside || dir} · ${project.name}`,
      content: html`${projectHeader(project, 'repositories')}
${breadcrumb(place)}
<div id="repository" data-live>
${found.kind === 'folder' ? await folder(found, place, ctx) : await file(found, place, ctx)}
</div>`,
      follows: { touches: [`project:${project.id}`] },
      isWide: true,
    }
  })

  async function folder(
    found: RepositoryFolder,
    place: RepositoryLocation,
    ctx: RouteContext,
  ): Promise<Html> {
    const { listing } = found
    const { folders, files } = folderOf(listing.entries, place.path)
    const readme = files.find(({ name, type }) => type === 'file' && /^readme\.(?:md|markdown)$/i.test(name))
    const about =
      readme &&
      (await repositories.open(ctx.state.caller, place.project.slug, place.dir, within(place, readme.name)))
    return html`${listing.problem !== null && html`<p class="notice warn">It could not be looked at since ${dateTime(listing.refreshedAt)}: ${listing.problem}</p>`}
<p class="hint">Branch <bdi>${listing.ref}</bdi> at <code>${listing.commit.slice(0, 10)}</code>, looked at ${dateTime(listing.refreshedAt)}.</p>
<ul class="rows tree">
${folders.map(
  (name) => html`<li><p class="main"><a href="${hrefOf(place, name)}"><bdi>${name}</bdi>/</a></p></li>
`,
)}
${files.map(
  ({ name, type, size }) =>
    html`<li><p class="main">${type === 'submodule' ? html`<bdi>${name}</bdi>` : html`<a href="${hrefOf(place, name)}"><bdi>${name}</bdi></a>`}</p>
<small>${type === 'file' ? formatBytes(size ?? 0) : type}</small></li>
`,
)}</ul>
${listing.truncated && html`<p class="hint">Not all files are listed.</p>`}
${listing.skipped > 0 && html`<p class="hint">${listing.skipped} files are omitted, because no URL can address them.</p>`}
${about?.kind === 'file' && (await rendered(await about.read(), place, within(place, readme!.name)))}`
  }

  async function file(found: RepositoryFile, place: RepositoryLocation, ctx: RouteContext): Promise<Html> {
    const content = await found.read()
    const name = place.path.split('/').at(-1)!
    const raw = repositoriesTreePath(place.project, place.dir, place.path)
    const isMarkdown = /\.(?:md|markdown)$/i.test(name)
    const isSource = 'source' in ctx.query
    const size = html`<p class="hint before">${formatBytes(content.bytes.length)} · <a href="${raw}" download="${name}">Download</a>${isMarkdown && html` · <a href="${isSource ? '?' : '?source'}">${isSource ? 'Show rendered' : 'Show source'}</a>`}</p>`
    if (!content.isText || content.bytes.length > maxShownBytes) {
      const why = content.isText ? 'The file is too large to show here.' : 'This is not a text file.'
      return html`${size}<div class="empty"><p>${why}</p></div>`
    }
    if (isMarkdown && !isSource) return html`${size}${await rendered(content, place, place.path)}`
    return html`${size}${await code(workspace, ctx.state.caller, name, content.bytes.toString())}`
  }

  async function rendered(
    { bytes, isText }: { bytes: Buffer; isText: boolean },
    { project, dir }: RepositoryLocation,
    path: string,
  ): Promise<Html | false> {
    if (!isText || bytes.length > maxShownBytes) return false
    const tree = projectPagePath(project, `repositories/${encodeURIComponent(dir)}`)
    const shown = await workspace.rendering.foreignFiles.html(bytes, pageForPath(tree, path))
    return html`<article class="prose sheet">${new Html(shown)}</article>`
  }

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
          follows: { touches: [`project:${project.id}`] },
        }
      }),
    )
    .purpose('Page: a repository')
    .get(`${path}/:dir`, show)
    .purpose('Page: a folder or file of a repository; ?source shows markdown as text')
    .get(`${path}/:dir/*path`, show)
}

interface RepositoryLocation {
  project: Project
  dir: string
  /** From the top of the repository; `''` for all of it. */
  path: string
}

const within = ({ path }: RepositoryLocation, name: string): string =>
  path === '' ? name : `${path}/${name}`

const hrefOf = (place: RepositoryLocation, name: string): string =>
  `${projectPagePath(place.project, 'repositories')}/${[place.dir, ...within(place, name).split('/')].map(encodeURIComponent).join('/')}`

function breadcrumb(place: RepositoryLocation): Html {
  const parts = place.path === '' ? [] : place.path.split('/')
  const name = parts.at(-1) ?? place.dir
  const above = [
    html`<a href="${projectPagePath(place.project, 'repositories')}">Repositories</a> / `,
    ...(parts.length > 0
      ? [
          html`<a href="${projectPagePath(place.project, `repositories/${encodeURIComponent(place.dir)}`)}"><bdi>${place.dir}</bdi></a> / `,
        ]
      : []),
    ...parts
      .slice(0, -1)
      .map(
        (part, at) =>
          html`<a href="${hrefOf({ ...place, path: '' }, parts.slice(0, at + 1).join('/'))}"><bdi>${part}</bdi></a> / `,
      ),
  ]
  return html`<p class="trail">${above}</p>
<h1><bdi>${name}</bdi></h1>`
}

function list(project: Project, rows: readonly RepositoryView[], isAdmin: boolean): Html {
  if (rows.length === 0)
    return html`<div class="empty" id="repositories" data-live><p>No repositories linked.</p>
<p>Link a repository to read it here and to see its pull requests beside their cards.</p></div>`
  return html`<ul class="rows" id="repositories" data-live>
${rows.map(
  ({ _id, dir, source, defaultBranch, refreshedAt, problem, forge }) =>
    html`<li id="${_id}"><p class="main"><a href="${projectPagePath(project, `repositories/${encodeURIComponent(dir)}`)}"><bdi>${dir}</bdi></a> ${forge && html`<span class="tag">pull requests</span>`}<br>
<small><bdi>${source}</bdi> · branch <bdi>${defaultBranch}</bdi> · looked at ${dateTime(refreshedAt)}</small>
${problem !== null && html`<br><small class="warn">${problem}</small>`}</p>
${
  isAdmin &&
  html`<button class="quiet" data-call="DELETE /v1/projects/${project.id}/repositories/${encodeURIComponent(dir)}" data-confirm="Unlink ${bidiIsolate(dir)}? Its source is not changed." data-confirm-button="Unlink" >Unlink<span class="unseen"> ${dir}</span></button>`
}</li>
`,
)}</ul>`
}
