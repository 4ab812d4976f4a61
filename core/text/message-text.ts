import { WorkspaceError } from '../errors/workspace-error.ts'

/** The most characters (code points) of a message or comment. */
const maxBodyLength = 32_000

/**
 * @param noun what the text is to be
 * @throws WorkspaceError `bad_request`, saying which rule the text breaks
 */
export function requireMessageText(body: string, noun: 'message' | 'comment'): void {
  if (body.trim() === '') throw new WorkspaceError('bad_request', `A ${noun} must not be blank.`)
  if (isTooLong(body)) {
    throw new WorkspaceError('bad_request', `A ${noun} has at most ${maxBodyLength} characters.`)
  }
  // Cs: half of a surrogate pair.
  if (/[\0\p{Cs}]/u.test(body)) {
    throw new WorkspaceError('bad_request', `The ${noun} contains an invalid character.`)
  }
}

/** Characters are counted only where the number of UTF-16 code units, one or two each, does not tell. */
function isTooLong(body: string): boolean {
  if (body.length <= maxBodyLength) return false
  return body.length > 2 * maxBodyLength || [...body].length > maxBodyLength
}
