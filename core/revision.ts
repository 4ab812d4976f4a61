import { hash } from 'node:crypto'

/** The name of a file's state: the first 20 characters of the lower-case hex SHA-256 of its bytes. */
export const revisionOf = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 20)
