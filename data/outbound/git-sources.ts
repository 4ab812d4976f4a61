import type { Dirent } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { readAddress } from './addresses.ts'
import type { AllowList } from './allow-list.ts'
import { checkDestination, readDestination } from './destination.ts'
import { codeOf } from './failure.ts'
import { type GitFailure, gitFailure } from './git-process.ts'
import type { Resolve } from './types.ts'

export type GitSource = { kind: 'folder'; path: string } | { kind: 'address'; url: string }

export interface CheckedSource {
  kind: 'checked'
  /** Never begins with a hyphen. */
  url: string
  transport: 'file' | 'http' | 'https'
  settings: string[]
  options: string[]
}

export interface SourceRules {
  roots: readonly string[]
  home: string
  allow: AllowList
  resolve: Resolve
}

/** Must be called each time before git uses the source. @throws the signal's reason if it is aborted */
export const checkSource = (
  source: GitSource,
  rules: SourceRules,
  signal: AbortSignal,
): Promise<CheckedSource | GitFailure> =>
  source.kind === 'folder'
    ? checkFolderSource(source.path, rules)
    : checkAddressSource(source.url, rules, signal)

async function checkAddressSource(
  url: string,
  { allow, resolve }: SourceRules,
  signal: AbortSignal,
): Promise<CheckedSource | GitFailure> {
  const destination = readDestination(url)
  if ('kind' in destination) return gitFailure('address', destination.detail)
  const addresses = await checkDestination(destination, { allow, resolve, signal })
  if ('kind' in addresses) {
    const { category, detail } = addresses
    return gitFailure('address', category === 'bad_url' ? detail : category)
  }
  const { host, port } = destination
  const checked = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
  return {
    kind: 'checked',
    url: destination.url.href,
    transport: destination.url.protocol === 'http:' ? 'http' : 'https',
    settings: readAddress(host) ? [] : ['-c', `http.curloptResolve=${host}:${port}:${checked.join(',')}`],
    options: [],
  }
}

async function checkFolderSource(
  path: string,
  { roots, home }: SourceRules,
): Promise<CheckedSource | GitFailure> {
  const folder = await realPathOf(path)
  // Reported as missing without checking, so that nothing outside is revealed.
  const realRoots = (await Promise.all(roots.map(realPathOf))).filter((root) => root !== null)
  if (folder === null || !realRoots.some((root) => isWithin(root, folder))) {
    return gitFailure('outside_roots')
  }
  const realHome = await realPathOf(home)
  if (realHome !== null && isWithin(realHome, folder)) return gitFailure('inside_home')
  const gitFolder = await gitFolderOf(folder)
  if (typeof gitFolder !== 'string') return gitFolder
  const link = await findOutsideLink(gitFolder)
  if (link !== null) return gitFailure('leads_outside', link)
  return {
    kind: 'checked',
    url: gitFolder,
    transport: 'file',
    settings: [],
    // The folder itself is the repository, not one that a `.git` in it names.
    options: ['--upload-pack=git upload-pack --strict'],
  }
}

async function realPathOf(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(codeOf(error))) return null
    throw error
  }
}

const isWithin = (outer: string, inner: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)

async function kindOf(path: string): Promise<'folder' | 'file' | 'link' | null> {
  try {
    const stats = await lstat(path)
    if (stats.isSymbolicLink()) return 'link'
    return stats.isDirectory() ? 'folder' : 'file'
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error))) return null
    throw error
  }
}

async function gitFolderOf(folder: string): Promise<string | GitFailure> {
  const inner = join(folder, '.git')
  const kind = await kindOf(inner)
  if (kind === 'folder') return inner
  if (kind !== null) return gitFailure('leads_outside', '.git')
  const isBare = (await kindOf(join(folder, 'HEAD'))) === 'file'
  return isBare ? folder : gitFailure('not_a_repository')
}

const borrowedObjectFiles = ['commondir', 'objects/info/alternates', 'objects/info/http-alternates']

/** Finds links to objects of another repository, which the author may not be allowed to read. */
async function findOutsideLink(gitFolder: string): Promise<string | null> {
  for (const path of borrowedObjectFiles) {
    if ((await kindOf(join(gitFolder, path))) !== null) return path
  }
  for (const path of ['HEAD', 'objects', 'refs', 'packed-refs', 'reftable']) {
    if ((await kindOf(join(gitFolder, path))) === 'link') return path
  }
  return findSymlink(join(gitFolder, 'objects'), 'objects', maxObjectDepth)
}

const maxObjectDepth = 2

async function findSymlink(folder: string, name: string, depth: number): Promise<string | null> {
  if (depth === 0) return null
  for (const entry of await entriesOf(folder)) {
    const path = `${name}/${entry.name}`
    if (entry.isSymbolicLink()) return path
    const link = entry.isDirectory() ? await findSymlink(join(folder, entry.name), path, depth - 1) : null
    if (link !== null) return link
  }
  return null
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // git may repack meanwhile; and what the server cannot read, git cannot either.
    if (['ENOENT', 'EACCES'].includes(codeOf(error))) return []
    throw error
  }
}
