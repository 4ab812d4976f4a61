import { illegalNameReason, isIgnoredName } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

const maxNameLength = 64

export function requireSkillName(name: string): void {
  const isKebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
  if (isKebab && name.length <= maxNameLength && illegalNameReason(name) === null && !isIgnoredName(name))
    return
  throw new WorkspaceError(
    'bad_request',
    `The name of a skill is in kebab case, such as release-notes: lower-case letters and digits with hyphens between them, at most ${maxNameLength} characters, and not a name that an operating system reserves.`,
  )
}
