import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from './failure.ts'

export async function measurePacks(mirror: string): Promise<{ count: number; bytes: number }> {
  const folder = join(mirror, 'objects', 'pack')
  const names = (await namesIn(folder)).filter((name) => /\.pack$|^tmp_/.test(name))
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))))
  return { count: names.length, bytes: sizes.reduce((total, size) => total + size, 0) }
}

/** Removes locks and partial packs of an interrupted git; nothing else works in a mirror. */
export async function removeLeftovers(mirror: string): Promise<void> {
  for (const folder of ['', 'refs/heads', 'objects/pack']) {
    for (const name of await namesIn(join(mirror, folder))) {
      if (/\.lock$|^tmp_/.test(name)) await removeAll(join(mirror, folder, name))
    }
  }
}

export async function removeFolder(mirror: string): Promise<void> {
  const removed = `${mirror}.removed`
  await removeAll(removed)
  try {
    await rename(mirror, removed)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  await removeAll(removed)
}

/** Removes everything in a folder of mirrors except those listed, as far as possible. @param kept names */
export async function removeUnlisted(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || kept.has(entry.name)) continue
    await removeAll(join(folder, entry.name)).catch((error) => {
      if (codeOf(error) === 'unknown') throw error
    })
  }
}

const removeAll = (path: string) => rm(path, { recursive: true, force: true })

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}
