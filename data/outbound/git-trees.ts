import { isUtf8 } from 'node:buffer'

export interface TreeEntry {
  path: string
  type: 'file' | 'symlink' | 'submodule' | 'folder'
  objectId: string
  size: number | null
}

export interface TreeListing {
  kind: 'listing'
  entries: TreeEntry[]
  /** Entries whose names cannot be part of a URL. */
  skipped: number
  isCut: boolean
}

const tab = 0x09

/** `<mode> <type> <object> <size>`, as `ls-tree -l` pads it. */
const entryDetails = /^(\d{6}) \w+ ([0-9a-f]{40,64}) +(\d+|-)$/

const typeOfMode: Record<string, TreeEntry['type']> = {
  '040000': 'folder',
  '120000': 'symlink',
  '160000': 'submodule',
}

/** A handcrafted tree may contain any name. */
export const isAddressable = (path: string): boolean =>
  !/[\\\0]/.test(path) && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')

/** Parses the output of `ls-tree -z -l`. @param isCut the last line may be incomplete */
export function readTree(output: Buffer, isCut: boolean, maxEntries: number): TreeListing {
  const entries: TreeEntry[] = []
  let skipped = 0
  let start = 0
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    if (entries.length === maxEntries) return { kind: 'listing', entries, skipped, isCut: true }
    const entry = readEntry(output.subarray(start, end))
    if (entry) entries.push(entry)
    else skipped += 1
    start = end + 1
  }
  return { kind: 'listing', entries, skipped, isCut }
}

function readEntry(line: Buffer): TreeEntry | null {
  const nameSeparator = line.indexOf(tab)
  const name = line.subarray(nameSeparator + 1)
  const read = entryDetails.exec(line.toString('latin1', 0, nameSeparator))
  if (!read || !isUtf8(name)) return null
  const path = name.toString()
  const [, mode, objectId, size] = read
  if (!isAddressable(path)) return null
  return {
    path,
    type: typeOfMode[mode!] ?? 'file',
    objectId: objectId!,
    size: size === '-' ? null : Number(size),
  }
}
