import { WorkspaceError } from '../errors/workspace-error.ts'

const maxNameLength = 80

/** Rules out names that break a mention, that markdown parses, or that cannot be typed. Null if valid. */
export function displayNameProblem(name: string): string | null {
  if (name.trim() === '') return 'must not be blank'
  if (name !== name.trim()) return 'must not begin or end with white space'
  if ([...name].length > maxNameLength) return `must have at most ${maxNameLength} characters`
  if (/[[\]()@<`\\]/.test(name)) return 'must not contain any of [ ] ( ) @ < ` \\'
  if (name.startsWith('^')) return 'must not begin with ^'
  // Cs: an unpaired surrogate, which no file could contain.
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)) return 'must be one line without control characters'
  return null
}

export function requireDisplayName(name: string): void {
  const problem = displayNameProblem(name)
  if (problem) throw new WorkspaceError('bad_request', `A display name ${problem}.`)
}
