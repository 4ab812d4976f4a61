import { inflateRawSync } from 'node:zlib'
import { revisionOf } from './revision.ts'

/** The bytes of a revision as its row keeps them; null where what is kept is damaged. */
export function revisionBytes(compressed: Uint8Array, revision: string): Buffer | null {
  try {
    const bytes = inflateRawSync(compressed)
    return revisionOf(bytes) === revision ? bytes : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return null
    throw error
  }
}
