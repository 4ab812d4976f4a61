import type { Entrance } from './entrance.ts'
import { PublishedSkills } from './published-skills.ts'
import { Publishing } from './publishing.ts'
import { Skills } from './skills.ts'

export type { PublishedSkills } from './published-skills.ts'
export type { Skills } from './skills.ts'

/**
 * Opens the skills: drafts and their publication, and what is published.
 * @returns once what a crash interrupted is finished
 */
export async function openSkills(
  parts: Entrance,
): Promise<{ skills: Skills; publishedSkills: PublishedSkills }> {
  const publishing = new Publishing(parts)
  await publishing.finish(
    (id) => {
      const project = parts.projects.find(id)!
      parts.requireUsable(project, 'write')
      return project
    },
    (error, name) =>
      parts.onProblem(`The skill ${name} could not be put in place; the next start tries again`, error),
  )
  return { skills: new Skills(parts, publishing), publishedSkills: new PublishedSkills(parts, publishing) }
}
