import type { Project } from '../../../core/access/project.ts'
import { projectPagePath, repositoriesTreePath } from '../../../core/paths.ts'
import type { EntryListItem, RepositoryFile, RepositoryFolder } from '../../../core/repositories/types.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { code, maxShownBytes } from '../code.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import { pageForPath } from '../repository-links.ts'

export interface RepositoryLocation {
  project: Project
  dir: string
  /** From the top of the repository; `''` for the top. */
  path: string
}

const within = ({ path }: RepositoryLocation, name: string): string =>
  path === '' ? name : `${path}/${name}`

function hrefOf(location: RepositoryLocation, name: string): string {
  const names = [location.dir, ...within(location, name).split('/')]
  return `${projectPagePath(location.project, 'repositories')}/${names.map(encodeURIComponent).join('/')}`
}

export function breadcrumb(location: RepositoryLocation): Html {
  const parts = location.path === '' ? [] : location.path.split('/')
  const name = parts.at(-1) ?? location.dir
  const repository = `repositories/${encodeURIComponent(location.dir)}`
  const above = [
    html`<a href="${projectPagePath(location.project, 'repositories')}">Repositories</a> / `,
    ...(parts.length > 0
      ? [html`<a href="${projectPagePath(location.project, repository)}"><bdi>${location.dir}</bdi></a> / `]
      : []),
    ...parts
      .slice(0, -1)
      .map(
        (part, at) =>
          html`<a href="${hrefOf({ ...location, path: '' }, parts.slice(0, at + 1).join('/'))}"><bdi>${part}</bdi></a> / `,
      ),
  ]
  return html`<p class="trail">${above}</p>
<h1><bdi>${name}</bdi></h1>`
}

export async function folder(
  workspace: Pick<Workspace, 'code' | 'rendering'>,
  found: RepositoryFolder,
  location: RepositoryLocation,
  ctx: RouteContext,
): Promise<Html> {
  const { listing } = found
  const { folders, files } = folderOf(listing.entries, location.path)
  const readme = files.find(({ name, type }) => type === 'file' && /^readme\.(?:md|markdown)$/i.test(name))
  const about =
    readme &&
    (await workspace.code.repositories.open(
      ctx.state.caller,
      location.project.slug,
      location.dir,
      within(location, readme.name),
    ))
  return html`${
    listing.problem !== null &&
    html`<p class="notice warn">Reading has failed since ${dateTime(listing.refreshedAt)}: ${listing.problem}</p>`
  }
<p class="hint">Branch <bdi>${listing.ref}</bdi> at <code>${listing.commit.slice(0, 10)}</code>, read \
${dateTime(listing.refreshedAt)}.</p>
<ul class="rows tree">
${folders.map(
  (name) => html`<li><p class="main"><a href="${hrefOf(location, name)}"><bdi>${name}</bdi>/</a></p></li>
`,
)}
${files.map(
  ({ name, type, size }) =>
    html`<li><p class="main">${
      type === 'submodule'
        ? html`<bdi>${name}</bdi>`
        : html`<a href="${hrefOf(location, name)}"><bdi>${name}</bdi></a>`
    }</p>
<small>${type === 'file' ? formatBytes(size ?? 0) : type}</small></li>
`,
)}</ul>
${listing.truncated && html`<p class="hint">Not all files are listed.</p>`}
${listing.skipped > 0 && html`<p class="hint">${listing.skipped} files are not listed because no address can name them.</p>`}
${about?.kind === 'file' && (await rendered(workspace, await about.read(), location, within(location, readme!.name)))}`
}

export async function file(
  workspace: Pick<Workspace, 'rendering'>,
  found: RepositoryFile,
  location: RepositoryLocation,
  ctx: RouteContext,
): Promise<Html> {
  const content = await found.read()
  const name = location.path.split('/').at(-1)!
  const raw = repositoriesTreePath(location.project, location.dir, location.path)
  const isMarkdown = /\.(?:md|markdown)$/i.test(name)
  const isSource = 'source' in ctx.query
  const size = html`<p class="hint before">${formatBytes(content.bytes.length)} · <a href="${raw}" download="${name}">Download</a>${
    isMarkdown &&
    html` · <a href="${isSource ? '?' : '?source'}">${isSource ? 'Show rendered' : 'Show source'}</a>`
  }</p>`
  if (!content.isText || content.bytes.length > maxShownBytes) {
    const why = content.isText ? 'The file is too large to show here.' : 'This is not a text file.'
    return html`${size}<div class="empty"><p>${why}</p></div>`
  }
  if (isMarkdown && !isSource)
    return html`${size}${await rendered(workspace, content, location, location.path)}`
  return html`${size}${await code(workspace, ctx.state.caller, name, content.bytes.toString())}`
}

async function rendered(
  workspace: Pick<Workspace, 'rendering'>,
  { bytes, isText }: { bytes: Buffer; isText: boolean },
  { project, dir }: RepositoryLocation,
  path: string,
): Promise<Html | false> {
  if (!isText || bytes.length > maxShownBytes) return false
  const tree = projectPagePath(project, `repositories/${encodeURIComponent(dir)}`)
  const shown = await workspace.rendering.foreignFiles.html(bytes, pageForPath(tree, path))
  return html`<article class="prose sheet">${new Html(shown)}</article>`
}

/** Returns the direct entries of a folder. @param path from the top of the repository; `''` for the top */
function folderOf(
  entries: readonly EntryListItem[],
  path: string,
): { folders: string[]; files: { name: string; type: EntryListItem['type']; size: number | null }[] } {
  const start = path === '' ? 0 : path.length + 1
  const folders = new Set<string>()
  const files = entries.flatMap(({ name, type, size }) => {
    const [first, ...rest] = name.slice(start).split('/')
    if (rest.length === 0) return [{ name: first!, type, size }]
    folders.add(first!)
    return []
  })
  return { folders: [...folders], files }
}
