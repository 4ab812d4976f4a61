import { WorkspaceError } from '../errors/workspace-error.ts'

/** Code points. */
const maxBodyLength = 32_000

/** @throws WorkspaceError `bad_request`, naming the broken rule */
export function requireMessageText(body: string, noun: 'message' | 'comment'): void {
  if (body.trim() === '') throw new WorkspaceError('bad_request', `A ${noun} must not be blank.`)
  if (isTooLong(body)) {
    throw new WorkspaceError('bad_request', `A ${noun} has at most ${maxBodyLength} characters.`)
  }
  // Cs: an unpaired surrogate.
  if (/[\0\p{Cs}]/u.test(body)) {
    throw new WorkspaceError('bad_request', `The ${noun} contains an invalid character.`)
  }
}

/** Counts code points only if UTF-16 code units, one or two for each, are not conclusive. */
function isTooLong(body: string): boolean {
  if (body.length <= maxBodyLength) return false
  return body.length > 2 * maxBodyLength || [...body].length > maxBodyLength
}
