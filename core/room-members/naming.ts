import { WorkspaceError } from '../errors/workspace-error.ts'
import { availableSlug, slugOf } from '../text/slug.ts'

/** The most characters (code points) of a room's name. */
export const maxNameLength = 80

/** The most characters (code points) of a room's description. */
const maxDescriptionLength = 2000

/** @throws WorkspaceError `bad_request`, saying which rule the name breaks */
export function requireRoomName(name: string): void {
  // Cs: half of a surrogate pair, which no answer could show.
  const isOneLine = !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)
  if (isOneLine && name.trim() !== '' && [...name].length <= maxNameLength) return
  throw new WorkspaceError(
    'bad_request',
    `The name of a room is one line of 1 to ${maxNameLength} characters, not blank.`,
  )
}

/** @throws WorkspaceError `bad_request` */
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

/**
 * The slug of a room: that of its name, or its id where nothing of the name can stand in an address; with `-2`, `-3` …
 * where it is another room's.
 */
export function roomSlug(name: string, id: string, isTaken: (slug: string) => boolean): string {
  return availableSlug(slugOf(name) || id, isTaken)
}
