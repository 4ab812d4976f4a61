import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'

/** The name of a file's state: the first 20 characters of the lower-case hex SHA-256 of its bytes. */
export const revisionOf = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 20)

/** The bytes of a revision as its row keeps them; null where what is kept is damaged. */
export function decompressRevision(compressed: Uint8Array, revision: string): Buffer | null {
  try {
    const bytes = inflateRawSync(compressed)
    return revisionOf(bytes) === revision ? bytes : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return null
    throw error
  }
}
