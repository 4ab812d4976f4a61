import type { EntryListItem } from '../../../core/repositories/types.ts'

/** Returns the direct entries of a folder. @param path from the top of the repository; `''` for the top */
export function folderOf(
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
