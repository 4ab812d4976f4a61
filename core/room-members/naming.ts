import { WorkspaceError } from '../errors/workspace-error.ts'
import { availableSlug, slugOf } from '../text/slug.ts'

export const maxNameLength = 80
const maxDescriptionLength = 2000

export function requireRoomName(name: string): void {
  // Cs: half of a surrogate pair, which UTF-8 cannot encode.
  const isOneLine = !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)
  if (isOneLine && name.trim() !== '' && [...name].length <= maxNameLength) return
  throw new WorkspaceError(
    'bad_request',
    `The name of a room is one line of 1 to ${maxNameLength} characters, not blank.`,
  )
}

export function requireRoomDescription(description: string): void {
  if ([...description].length > maxDescriptionLength) {
    throw new WorkspaceError(
      'bad_request',
      `The description of a room has at most ${maxDescriptionLength} characters.`,
    )
  }
  if (/[\0\p{Cs}]/u.test(description)) {
    throw new WorkspaceError('bad_request', 'The description contains an invalid character.')
  }
}

/** Uses the id if nothing of the name remains. */
export function roomSlug(name: string, id: string, isTaken: (slug: string) => boolean): string {
  return availableSlug(slugOf(name) || id, isTaken)
}
