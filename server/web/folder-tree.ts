import { type Html, html } from './html.ts'

/** Up to this many items, all folders are expanded. */
const maxExpanded = 300

const maxRows = 500

/** Sorts `f2` before `f10`. */
export const nameOrder = new Intl.Collator('en', { numeric: true })

export interface TreeOptions<T> {
  items: readonly T[]
  /** Includes folders, as in `guides/setup.md`. */
  nameOf(item: T): string
  row(item: T): Html
  folder: string
  page: string
  noun: string
  /** Shown where a folder has more items than the page shows. */
  rest: Html
}

interface FolderNode<T> {
  path: string
  folders: Map<string, FolderNode<T>>
  items: T[]
  count: number
}

const newFolder = <T>(path: string): FolderNode<T> => ({ path, folders: new Map(), items: [], count: 0 })

export function folderTree<T>(options: TreeOptions<T>): Html {
  const { folder, page, noun } = options
  const shown = shownFolder(options)
  const trail = folder !== '' && html`<p class="trail">${breadcrumb(folder, page, noun)}</p>`
  if (!shown)
    return html`${trail}<div class="empty"><p>Folder not found.</p><p><a href="${page}">Show all ${noun}s</a></p></div>`
  return html`${trail}<div data-folder="${folder}">${listOf(shown, options, isFoldedOut(shown))}</div>`
}

interface TreeChanges {
  changedIds: ReadonlySet<string>
  removedIds: readonly string[]
}

/** Changes for `server/client/documents/list-changes.ts`; null where the folder is gone or empty. */
export function folderTreeChanges<T extends { id: string }>(
  options: TreeOptions<T>,
  changes: TreeChanges,
): Html | null {
  const shown = shownFolder(options)
  if (!shown || shown.count === 0) return null
  const isOut = isFoldedOut(shown)
  const below = isOut ? [...foldersBelow(shown)] : sorted(shown)
  return html`${below.map((folder) => countOf(folder, options.noun, isOut))}
${(isOut ? [shown, ...below] : [shown]).map((folder) => listChanges(folder, options, changes))}`
}

function listChanges<T extends { id: string }>(
  { path, items }: FolderNode<T>,
  { row, rest }: TreeOptions<T>,
  { changedIds, removedIds }: TreeChanges,
): Html {
  const shown = items.slice(0, maxRows)
  // In a list that is cut, other items take the place of removed ones.
  const isCut = items.length > maxRows - removedIds.length
  const added = isCut ? removedIds.length : 0
  return html`<ul data-list="${path}" data-count="${shown.length}">${shown.map(
    (item, index) =>
      (changedIds.has(item.id) || index >= shown.length - added) &&
      html`<li data-after="${index > 0 && shown[index - 1]!.id}"><ul>${row(item)}</ul></li>`,
  )}</ul>${restOf(items, rest)}`
}

function shownFolder<T>({ items, nameOf, folder }: TreeOptions<T>): FolderNode<T> | undefined {
  const root = newFolder<T>('')
  for (const item of items) put(root, item, nameOf(item))
  return folder
    .split('/')
    .reduce<FolderNode<T> | undefined>((node, name) => (name === '' ? node : node?.folders.get(name)), root)
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

const isFoldedOut = <T>({ count }: FolderNode<T>): boolean => count <= maxExpanded

const sorted = <T>({ folders }: FolderNode<T>): FolderNode<T>[] =>
  [...folders].sort(([one], [other]) => nameOrder.compare(one, other)).map(([, folder]) => folder)

function* foldersBelow<T>(node: FolderNode<T>): Generator<FolderNode<T>> {
  for (const folder of sorted(node)) {
    yield folder
    yield* foldersBelow(folder)
  }
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

function listOf<T>(node: FolderNode<T>, options: TreeOptions<T>, isOut: boolean): Html {
  const { page, noun, row, rest } = options
  return html`<ul class="rows tree" data-list="${node.path}">
${sorted(node).map((folder) => {
  const { path } = folder
  const name = path.split('/').at(-1)!
  return isOut
    ? html`<li class="folder" data-folder="${path}"><details id="folder-${path}" \
open><summary><bdi>${name}</bdi> ${countOf(folder, noun, isOut)}</summary>${listOf(folder, options, isOut)}</details></li>
`
    : html`<li data-folder="${path}"><p class="main"><a \
href="${hrefOf(page, path)}"><bdi>${name}</bdi>/</a> ${countOf(folder, noun, isOut)}</p></li>
`
})}${node.items.slice(0, maxRows).map(row)}</ul>
${restOf(node.items, rest)}`
}

const countOf = <T>({ path, count }: FolderNode<T>, noun: string, isOut: boolean): Html =>
  html`<small data-count-of="${path}">${count}${!isOut && ` ${noun}${count === 1 ? '' : 's'}`}</small>`

const restOf = (items: readonly unknown[], rest: Html): Html | false =>
  items.length > maxRows && html`<p class="hint rest">Showing ${maxRows} of ${items.length}. ${rest}</p>`
