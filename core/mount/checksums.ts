import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { MountedFile } from './types.ts'

/** Lower-case hex. */
export interface Checksums {
  sha1: string
  md5: string
}

const maxFileBytes = 64 * 1024 * 1024
/** Limits what is read for one listing; later listings compute the rest. */
const maxBytesOfListing = 256 * 1024 * 1024
const maxCached = 20_000

export interface ReadBudget {
  bytes: number
}

export const newReadBudget = (): ReadBudget => ({ bytes: maxBytesOfListing })

export class FileChecksums {
  private readonly cache = new LRUCache<string, Checksums>({ max: maxCached })

  /** @returns null if the file is too large, the budget is used up, or it cannot be read */
  async of(file: MountedFile, budget: ReadBudget): Promise<Checksums | null> {
    const key = `${file.size} ${file.tag}`
    const cached = file.isTagWeak ? undefined : this.cache.get(key)
    if (cached) return cached
    if (file.size > maxFileBytes || file.size > budget.bytes) return null
    budget.bytes -= file.size
    const checksums = await computeChecksums(file).catch(() => null)
    if (checksums && !file.isTagWeak) this.cache.set(key, checksums)
    return checksums
  }
}

async function computeChecksums(file: MountedFile): Promise<Checksums> {
  const sha1 = createHash('sha1')
  const md5 = createHash('md5')
  if (file.size > 0) {
    for await (const piece of file.stream()) {
      sha1.update(piece)
      md5.update(piece)
    }
  }
  return { sha1: sha1.digest('hex'), md5: md5.digest('hex') }
}
