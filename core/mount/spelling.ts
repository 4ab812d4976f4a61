import { isSafeName, nameKey, type Tree } from '../../data/tree/index.ts'

export type NameLookup = Pick<Tree, 'names' | 'stat'>

export interface Spelling {
  /** As on the disk as far as they exist; the others as sent. */
  names: string[]
  /** On a case-insensitive disk: the file with another spelling of the first missing name. */
  conflictingName: string | null
}

/** Resolves names below a folder by exact spelling, or equal in NFC. @param folder path in the home */
export function resolveSpelling(disk: NameLookup, folder: string, requested: readonly string[]): Spelling {
  const names: string[] = []
  for (const [index, name] of requested.entries()) {
    const found = spellingOf(disk, [folder, ...names].join('/'), name)
    if (found === null || found.isDifferent) {
      const conflictingName = found && [...names, found.name].join('/')
      return { names: [...names, ...requested.slice(index)], conflictingName }
    }
    names.push(found.name)
  }
  return { names, conflictingName: null }
}

/** Whether a folder has an entry of exactly this name, also on a disk that ignores case. */
export function hasExactName(disk: NameLookup, folder: string, name: string): boolean {
  return exists(disk, folder, name) && !exists(disk, folder, swapCase(name))
}

/** @returns null if nothing is there; `isDifferent`: the disk takes the name for another one */
function spellingOf(
  disk: NameLookup,
  folder: string,
  name: string,
): { name: string; isDifferent: boolean } | null {
  if (!isSafeName(name)) return null
  const key = name.normalize('NFC')
  const forms = new Set([name, key, name.normalize('NFD')])
  for (const form of forms) {
    if (!exists(disk, folder, form)) continue
    const other = swapCase(form)
    if (other === form || !exists(disk, folder, other)) return { name: form, isDifferent: false }
    // Both exist, or the disk takes one name for the other.
    const listed = disk.names(folder) ?? []
    if (listed.includes(form)) return { name: form, isDifferent: false }
    const equal = listed.find((other) => other.normalize('NFC') === key)
    if (equal !== undefined) return { name: equal, isDifferent: false }
    return { name: listed.find((other) => nameKey(other) === nameKey(name)) ?? form, isDifferent: true }
  }
  // Only a name with several forms can be stored in a mixture of them.
  if (forms.size === 1) return null
  const mixed = (disk.names(folder) ?? []).find((other) => other.normalize('NFC') === key)
  return mixed !== undefined && isSafeName(mixed) ? { name: mixed, isDifferent: false } : null
}

const exists = (disk: NameLookup, folder: string, name: string): boolean =>
  disk.stat(`${folder}/${name}`).kind !== 'missing'

function swapCase(name: string): string {
  const upper = name.toUpperCase()
  return upper === name ? name.toLowerCase() : upper
}
