import { isSafeName, nameKey, type Tree } from '../../data/tree/index.ts'

/** How names that somebody sent are spelled on the disk. */
export interface Spelling {
  /** As they are on the disk, as far as they are there; the others as they were sent. */
  names: string[]
  /**
   * Where the disk does not tell upper from lower case: what lies, under another spelling, at the first of the names that is
   * not there. Nothing can be put beside it.
   */
  takenBy: string | null
}

/**
 * Finds names below a folder: each by its exact spelling, or by one that is equal in NFC, and by no other.
 * @param folder within the home
 */
export function resolveSpelling(tree: Tree, folder: string, sent: readonly string[]): Spelling {
  const names: string[] = []
  for (const [index, name] of sent.entries()) {
    const found = spellingOf(tree, [folder, ...names].join('/'), name)
    if (found === null || found.isAnother) {
      const takenBy = found && [...names, found.name].join('/')
      return { names: [...names, ...sent.slice(index)], takenBy }
    }
    names.push(found.name)
  }
  return { names, takenBy: null }
}

/** @returns null: nothing is there; `isAnother`: what is there has another name, which the disk takes for the same */
function spellingOf(tree: Tree, folder: string, name: string): { name: string; isAnother: boolean } | null {
  if (!isSafeName(name)) return null
  const key = name.normalize('NFC')
  const forms = new Set([name, key, name.normalize('NFD')])
  for (const form of forms) {
    if (!isThere(tree, folder, form)) continue
    const other = swapCase(form)
    if (other === form || !isThere(tree, folder, other)) return { name: form, isAnother: false }
    // Both are there: as two files, or because the disk takes one name for the other.
    const listed = tree.names(folder) ?? []
    if (listed.includes(form)) return { name: form, isAnother: false }
    const equal = listed.find((other) => other.normalize('NFC') === key)
    if (equal !== undefined) return { name: equal, isAnother: false }
    return { name: listed.find((other) => nameKey(other) === nameKey(name)) ?? form, isAnother: true }
  }
  // Only what can be written in several forms may lie there in a mixture of them.
  if (forms.size === 1) return null
  const mixed = (tree.names(folder) ?? []).find((other) => other.normalize('NFC') === key)
  return mixed !== undefined && isSafeName(mixed) ? { name: mixed, isAnother: false } : null
}

const isThere = (tree: Tree, folder: string, name: string): boolean =>
  tree.statAnySize(`${folder}/${name}`).kind !== 'missing'

/** The name itself where it has no case. */
function swapCase(name: string): string {
  const upper = name.toUpperCase()
  return upper === name ? name.toLowerCase() : upper
}
