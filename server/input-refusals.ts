import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'

const maxNames = 20
const maxNameLength = 40

export const invalidInput = (message: string): WorkspaceError => new WorkspaceError('invalid', message)

/** Lists unknown names with suggestions. @param show formats a name as the caller wrote it */
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

export function quotedName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return /^[\w.$-]+…?$/.test(short) ? short : JSON.stringify(short)
}
