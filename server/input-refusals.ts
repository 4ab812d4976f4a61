import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'

/** Of the names in a refusal, and the characters of each: both come from the caller. */
const maxNames = 20
const maxNameLength = 40

/**
 * What is wrong with the input of a request: 400 on the JSON endpoints, 422 in the tree (`docs/interface.md#errors`).
 */
export const invalidInput = (message: string): WorkspaceError => new WorkspaceError('invalid', message)

/**
 * The names that are not known, each with the one that was probably meant, for the middle of a sentence.
 * @param show puts a name as the caller wrote it
 */
export function listUnknown(
  unknown: readonly string[],
  known: readonly string[],
  show: (name: string) => string,
  meant: (name: string) => string | null = (name) => suggestName(name, known),
): string {
  const shown = unknown.slice(0, maxNames).map((name) => {
    const right = meant(name)
    return right === null
      ? show(quotedName(name))
      : `${show(quotedName(name))} (did you mean ${show(right)}?)`
  })
  const left = unknown.length - shown.length
  return shown.join(', ') + (left === 0 ? '' : ` and ${left} more`)
}

/** A name that came from the caller, as it is shown: cut, and in quotes where it is no plain word. */
export function quotedName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return /^[\w.$-]+…?$/.test(short) ? short : JSON.stringify(short)
}
