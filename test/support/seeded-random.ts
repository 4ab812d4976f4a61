import { createHash } from 'node:crypto'
import type { RandomBytes } from '../../core/ids.ts'

/** Repeatable random bytes: SHA-256 of a seed and a count. */
export function seededRandom(seed: string): RandomBytes {
  let count = 0
  let pool = Buffer.alloc(0)
  return (size) => {
    while (pool.length < size) {
      count += 1
      pool = Buffer.concat([pool, createHash('sha256').update(`${seed}:${count}`).digest()])
    }
    const bytes = pool.subarray(0, size)
    pool = pool.subarray(size)
    return bytes
  }
}
