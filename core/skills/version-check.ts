import type { SkillRow } from '../../data/tables/skills.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { SkillExpectation } from './types.ts'

/** A missing skill counts as 0. @throws WorkspaceError `conflict` (`docs/interface.md#conflicts`) */
export function requireExpectedVersion(
  project: Project,
  name: string,
  row: SkillRow | undefined,
  { expectedVersion, expectedDraftRevision }: SkillExpectation,
): void {
  const { version = 0, draftRevision = 0 } = row ?? {}
  if (version === expectedVersion && draftRevision === expectedDraftRevision) return
  throw new WorkspaceError(
    'conflict',
    `SKILL_CONFLICT: the skill ${name} has version ${version} and draftRevision ${draftRevision}, not ${expectedVersion} and ${expectedDraftRevision}.`,
    { fields: { version, draftRevision }, next: { step: 'read the skill', project: project.slug, name } },
  )
}

export function requireSkill(name: string, row: SkillRow | undefined): SkillRow {
  if (row) return row
  throw new WorkspaceError('not_found', `There is no skill ${name} in this project.`, {
    next: { step: 'list skills' },
  })
}
