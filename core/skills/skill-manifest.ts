import { WorkspaceError } from '../errors/workspace-error.ts'
import { findFence } from '../markdown/fence.ts'
import { parseFence } from '../markdown/frontmatter.ts'

export const manifestName = 'SKILL.md'

const maxDescriptionLength = 1024

/** UTF-16 code units. Limited because it is parsed on the main thread. */
const maxFrontmatterLength = 16 * 1024

function fieldsOf(text: string): { fields: Record<string, unknown> } | { problem: string } {
  const fenceRange = findFence(text)
  if (!fenceRange)
    return { problem: 'It must begin with frontmatter: ---, then name: and description:, then ---.' }
  if (fenceRange.length > maxFrontmatterLength) return { problem: 'Its frontmatter is longer than 16 kB.' }
  const fence = parseFence(text)
  if (fence.kind === 'faulty') return { problem: fence.message }
  return fence.kind === 'map' ? fence : { problem: 'Its frontmatter must be lines of key: value.' }
}

/** @throws WorkspaceError `bad_request`, naming the invalid key */
export function requireManifest(text: string, name: string): void {
  const problem = manifestProblem(text, name)
  if (problem !== null) throw new WorkspaceError('bad_request', `${manifestName} cannot be used. ${problem}`)
}

function manifestProblem(text: string, name: string): string | null {
  const parsed = fieldsOf(text)
  if ('problem' in parsed) return parsed.problem
  const { name: declaredName, description } = parsed.fields
  if (declaredName !== name) return `Its name must be that of the skill: write name: ${name}`
  if (typeof description !== 'string' || description.trim() === '')
    return 'It needs a description: a text that says what the skill is for and when to use it.'
  const { length } = [...description]
  if (length > maxDescriptionLength)
    return `Its description has ${length} characters, and may have ${maxDescriptionLength}.`
  return null
}

/** Returns `''` if the manifest, which may be written by hand, cannot be parsed. */
export function descriptionIn(text: string): string {
  const parsed = fieldsOf(text)
  const description = 'fields' in parsed ? parsed.fields.description : ''
  return typeof description === 'string' ? [...description].slice(0, maxDescriptionLength).join('') : ''
}
