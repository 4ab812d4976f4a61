import { WorkspaceError } from '../errors.ts'

/** The most characters (code points) of a message. */
const longestBody = 32_000

/** @throws WorkspaceError `bad_request`, saying which rule the text of a message breaks */
export function requireMessageBody(body: string): void {
  if (body.trim() === '') throw new WorkspaceError('bad_request', 'A message must not be blank.')
  if (isTooLong(body)) {
    throw new WorkspaceError('bad_request', `A message has at most ${longestBody} characters.`)
  }
  // Cs: half of a surrogate pair.
  if (/[\0\p{Cs}]/u.test(body)) {
    throw new WorkspaceError('bad_request', 'The message holds a character that no text can.')
  }
}

/** Characters are counted only where the number of UTF-16 code units, one or two each, does not tell. */
function isTooLong(body: string): boolean {
  if (body.length <= longestBody) return false
  return body.length > 2 * longestBody || [...body].length > longestBody
}
