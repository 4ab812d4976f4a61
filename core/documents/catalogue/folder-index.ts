import { nameKey } from '../../../data/tree/index.ts'

export class FolderIndex {
  private readonly ids = new Map<string, Map<string, Set<string>>>()
  /** The number of folders with documents at or below a folder, by its project and key, then by spelling. */
  private readonly counts = new Map<string, Map<string, number>>()

  add(projectId: string, path: string, id: string): void {
    const folders = this.ids.get(projectId) ?? new Map<string, Set<string>>()
    this.ids.set(projectId, folders)
    const folder = parentOf(path)
    const ids = folders.get(folder)
    if (ids) {
      ids.add(id)
      return
    }
    folders.set(folder, new Set([id]))
    for (const above of foldersAbove(path)) this.count(projectId, above, 1)
  }

  remove(projectId: string, path: string, id: string): void {
    const folder = parentOf(path)
    const ids = this.ids.get(projectId)?.get(folder)
    if (!ids?.delete(id) || ids.size > 0) return
    this.ids.get(projectId)!.delete(folder)
    for (const above of foldersAbove(path)) this.count(projectId, above, -1)
  }

  in(projectId: string, folder: string): Iterable<string> {
    return this.ids.get(projectId)?.get(folder) ?? []
  }

  /** Returns folders that directly contain documents; `''` is the project's own. */
  atOrBelow(projectId: string, folder: string): string[] {
    const all = [...(this.ids.get(projectId)?.keys() ?? [])]
    return folder === '' ? all : all.filter((other) => other === folder || other.startsWith(`${folder}/`))
  }

  hasDocuments(projectId: string, folder: string): boolean {
    return this.counts.get(keyOf(projectId, folder))?.has(folder) ?? false
  }

  /** Ignores case and normal form; null if the folder contains no document. */
  spelling(projectId: string, folder: string): string | null {
    const [spelling = null] = this.counts.get(keyOf(projectId, folder))?.keys() ?? []
    return spelling
  }

  private count(projectId: string, folder: string, change: 1 | -1): void {
    const key = keyOf(projectId, folder)
    const spellings = this.counts.get(key) ?? new Map<string, number>()
    const count = (spellings.get(folder) ?? 0) + change
    if (count > 0) spellings.set(folder, count)
    else spellings.delete(folder)
    if (spellings.size > 0) this.counts.set(key, spellings)
    else this.counts.delete(key)
  }
}

const keyOf = (projectId: string, folder: string) => `${projectId} ${nameKey(folder)}`

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

function* foldersAbove(path: string): Generator<string> {
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) yield path.slice(0, end)
}
