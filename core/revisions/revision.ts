import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'

/** The first 20 characters of the lower-case hex SHA-256 of a file's bytes. */
export const revisionOf = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 20)

export function decompressRevision(compressed: Uint8Array, revision: string): Buffer | null {
  try {
    const bytes = inflateRawSync(compressed)
    return revisionOf(bytes) === revision ? bytes : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) return null
    throw error
  }
}
