import { WorkspaceError } from '../errors/workspace-error.ts'

/** The most characters (code points) of a display name. */
const maxNameLength = 80

/**
 * The rules of display names (`docs/interface.md#ids-slugs-and-names`): what would break a mention `@[Name](id)` is not
 * allowed, what markdown reads as more than text, nor what nobody can see and so nobody could type again.
 * @returns what is wrong with it, as the end of a sentence; null when it may be used
 */
export function displayNameProblem(name: string): string | null {
  if (name.trim() === '') return 'must not be blank'
  if (name !== name.trim()) return 'must not begin or end with white space'
  if ([...name].length > maxNameLength) return `must have at most ${maxNameLength} characters`
  if (/[[\]()@<`\\]/.test(name)) return 'must not hold any of [ ] ( ) @ < ` \\'
  if (name.startsWith('^')) return 'must not begin with ^'
  // Cs: half of a surrogate pair, which no file could hold.
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'must be one line without control characters'
  return null
}

/** @throws WorkspaceError `bad_request`, saying which rule the name breaks */
export function requireDisplayName(name: string): void {
  const problem = displayNameProblem(name)
  if (problem) throw new WorkspaceError('bad_request', `A display name ${problem}.`)
}
