import { illegalNameReason } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { availableSlug, slugOf } from '../text/slug.ts'

const maxNameLength = 80

export function requireProjectName(name: string): void {
  const isOneLine = !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)
  if (isOneLine && name.trim() !== '' && [...name].length <= maxNameLength) return
  throw new WorkspaceError(
    'invalid',
    `The name of a project is one line of 1 to ${maxNameLength} characters, not blank.`,
  )
}

/** @throws WorkspaceError `invalid` for what is no slug, or no legal folder name on every system */
export function requireSlug(slug: string): void {
  const normalized = slugOf(slug)
  if (slug === '' || slug !== normalized) {
    const hint = normalized === '' ? '' : `, such as ${normalized}`
    throw new WorkspaceError('invalid', `A slug is made of lower-case letters, digits and hyphens${hint}.`)
  }
  const problem = illegalNameReason(slug)
  if (problem) {
    throw new WorkspaceError('invalid', `${slug} cannot be a folder on every system: it ${problem}.`)
  }
}

/** Returns a slug that is a legal folder name on every system; the id if nothing of the name remains. */
export function newSlug(name: string, id: string, isTaken: (slug: string) => boolean): string {
  const plain = slugOf(name)
  const base =
    [plain, `${plain}-project`].find((slug) => plain !== '' && illegalNameReason(slug) === null) ?? id
  return availableSlug(base, isTaken)
}

export function nameOfFolder(folder: string, id: string): string {
  const line = folder.replace(/\p{Cc}+/gu, ' ').trim()
  return [...line].slice(0, maxNameLength).join('') || id
}
