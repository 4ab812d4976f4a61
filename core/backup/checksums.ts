import { join } from 'node:path'
import { hashOf, walk } from '../../data/backup/folders.ts'

export const checksumsName = 'SHA256SUMS'

export function formatChecksums(sums: ReadonlyMap<string, string>): string {
  const lines = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sum]) => lineOf(path, sum))
  return lines.map((line) => `${line}\n`).join('')
}

/** The format of `sha256sum`: a line with an escaped name begins with a backslash. */
function lineOf(path: string, sum: string): string {
  if (!/[\\\n\r]/.test(path)) return `${sum}  ${path}`
  const escaped = path.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `\\${sum}  ${escaped}`
}

const escapes: Record<string, string> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

export function parseChecksums(text: string): Map<string, string> {
  const sums = new Map<string, string>()
  for (const [, escaped, sum, path] of text.matchAll(/^(\\?)([0-9a-f]{64}) {2}(.+)$/gm)) {
    const plain = escaped ? path!.replace(/\\[\\nr]/g, (sequence) => escapes[sequence]!) : path!
    sums.set(plain, sum!)
  }
  return sums
}

/** Compares a backup's files with their checksums, except `skipped` paths, which are checked otherwise. */
export async function verifyChecksums(
  sums: ReadonlyMap<string, string>,
  folder: string,
  skipped: ReadonlySet<string>,
): Promise<{ path: string; status: 'changed' | 'missing' | 'not part of it' }[]> {
  const differences: { path: string; status: 'changed' | 'missing' | 'not part of it' }[] = []
  const missing = new Set(sums.keys())
  for await (const { path, kind } of walk(folder)) {
    if (kind !== 'file' || skipped.has(path)) continue
    missing.delete(path)
    const sum = sums.get(path)
    if (sum === undefined) differences.push({ path, status: 'not part of it' })
    else if ((await hashOf(join(folder, path))) !== sum) differences.push({ path, status: 'changed' })
  }
  for (const path of missing) differences.push({ path, status: 'missing' })
  return differences
}
