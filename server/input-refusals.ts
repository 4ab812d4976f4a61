import { WorkspaceError } from '../core/errors/workspace-error.ts'
import { suggestName } from './closest-name.ts'

const maxNames = 20
const maxNameLength = 40

export const invalidInput = (message: string): WorkspaceError => new WorkspaceError('invalid', message)

/** Lists unknown names with suggestions. @param format formats a name as the caller wrote it */
export function listUnknown(
  unknown: readonly string[],
  known: readonly string[],
  format: (name: string) => string,
  suggest: (name: string) => string | null = (name) => suggestName(name, known),
): string {
  const listed = unknown.slice(0, maxNames).map((name) => {
    const suggestion = suggest(name)
    return suggestion === null
      ? format(quotedName(name))
      : `${format(quotedName(name))} (did you mean ${format(suggestion)}?)`
  })
  const remaining = unknown.length - listed.length
  return listed.join(', ') + (remaining === 0 ? '' : ` and ${remaining} more`)
}

export function quotedName(name: string): string {
  const short = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return /^[\w.$-]+…?$/.test(short) ? short : JSON.stringify(short)
}
