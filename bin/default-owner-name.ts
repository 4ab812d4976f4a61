import { userInfo } from 'node:os'
import { displayNameProblem } from '../core/members/display-name.ts'

/** Returns the name of the user who starts the server if it can be a display name. */
export function defaultOwnerName(): string {
  try {
    const { username } = userInfo()
    return displayNameProblem(username) === null ? username : 'Owner'
  } catch (error) {
    // A container may run as a user id without a name.
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return 'Owner'
    throw error
  }
}
