import { type Html, html } from './html.ts'

/** More things than these are not shown folded out, folder by folder. */
const maxExpanded = 300

const maxRows = 500

/** `f2` before `f10`. */
export const nameOrder = new Intl.Collator('en', { numeric: true })

interface TreeOptions<T> {
  items: readonly T[]
  /** With the folders that it is in, as in `guides/setup.md`. */
  nameOf(item: T): string
  row(item: T): Html
  folder: string
  page: string
  noun: string
  /** Said where a folder holds more than a page shows. */
  rest: Html
}

interface FolderNode<T> {
  path: string
  folders: Map<string, FolderNode<T>>
  items: T[]
  count: number
}

const newFolder = <T>(path: string): FolderNode<T> => ({ path, folders: new Map(), items: [], count: 0 })

/** What is within a folder as a tree, folders first. */
export function folderTree<T>(options: TreeOptions<T>): Html {
  const { items, nameOf, folder, page, noun } = options
  const root = newFolder<T>('')
  for (const item of items) put(root, item, nameOf(item))
  const shown = folder
    .split('/')
    .reduce<FolderNode<T> | undefined>((node, name) => (name === '' ? node : node?.folders.get(name)), root)
  const trail = folder !== '' && html`<p class="trail">${breadcrumb(folder, page, noun)}</p>`
  if (!shown)
    return html`${trail}<div class="empty"><p>Folder not found.</p><p><a href="${page}">Show all ${noun}s</a></p></div>`
  return html`${trail}<div data-folder="${folder}">${listOf(shown, options, shown.count <= maxExpanded)}</div>`
}

function put<T>(root: FolderNode<T>, item: T, itemName: string): void {
  let node = root
  node.count++
  for (const name of itemName.split('/').slice(0, -1)) {
    const path = node.path === '' ? name : `${node.path}/${name}`
    const next = node.folders.get(name) ?? newFolder(path)
    node.folders.set(name, next)
    node = next
    node.count++
  }
  node.items.push(item)
}

const hrefOf = (page: string, path: string): string => `${page}?folder=${encodeURIComponent(path)}`

function breadcrumb(folder: string, page: string, noun: string): Html {
  const names = folder.split('/')
  return html`<a href="${page}" data-folder="">All ${noun}s</a>${names.map(
    (name, index) =>
      html` / <a href="${hrefOf(page, names.slice(0, index + 1).join('/'))}" \
data-folder="${names.slice(0, index + 1).join('/')}"><bdi>${name}</bdi></a>`,
  )}`
}

function listOf<T>({ folders, items }: FolderNode<T>, options: TreeOptions<T>, isFoldedOut: boolean): Html {
  const { page, noun, row, rest } = options
  const named = [...folders].sort(([one], [other]) => nameOrder.compare(one, other))
  return html`<ul class="rows tree">
${named.map(([name, folder]) =>
  isFoldedOut
    ? html`<li class="folder" data-folder="${folder.path}"><details id="folder-${folder.path}" \
open><summary><bdi>${name}</bdi> <small>${folder.count}</small></summary>${listOf(folder, options, true)}</details></li>
`
    : html`<li data-folder="${folder.path}"><p class="main"><a \
href="${hrefOf(page, folder.path)}"><bdi>${name}</bdi>/</a> <small>${folder.count} \
${noun}${folder.count === 1 ? '' : 's'}</small></p></li>
`,
)}${items.slice(0, maxRows).map(row)}</ul>
${items.length > maxRows && html`<p class="hint">Showing ${maxRows} of ${items.length}. ${rest}</p>`}`
}
