import { skillsTable } from '../../data/tables/skills.ts'
import { type FileSnapshot, haveSameBytes, takeSnapshot } from '../skills/file-snapshot.ts'
import { skillPath } from '../skills/skill-publisher.ts'
import type { DoctorContext, Finding } from './types.ts'

export async function skillFindings({ database, tree, present }: DoctorContext): Promise<Finding[]> {
  const skills = skillsTable(database.connection)
  const findings: Finding[] = []
  for (const project of present) {
    for (const { name, version, seen, isPlaced } of skills.all(project.id)) {
      const path = skillPath(project, name)
      const expected: FileSnapshot = JSON.parse(seen)
      if (haveSameBytes(expected, await takeSnapshot(tree, path, {}, Date.now()))) continue
      findings.push({
        path,
        problem: `Its files are not those of version ${version} of the skill.`,
        mend: isPlaced
          ? 'Read the skill over HTTP: its files become the next version.'
          : 'Start the server: it puts the version in place.',
      })
    }
  }
  return findings
}
