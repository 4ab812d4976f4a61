import { PublishedSkills } from './published-skills.ts'
import { SkillEdits } from './skill-edits.ts'
import { type PublishingDeps, SkillPublisher } from './skill-publisher.ts'
import { Skills } from './skills.ts'

export type { PublishedSkills } from './published-skills.ts'
export { readSkillFiles } from './skill-files.ts'
export type { Skills } from './skills.ts'

export async function openSkills(
  deps: PublishingDeps,
): Promise<{ skills: Skills; publishedSkills: PublishedSkills; edits: SkillEdits }> {
  const publisher = new SkillPublisher(deps)
  await publisher.recover()
  const services = { ...deps, publisher }
  return {
    skills: new Skills(services),
    publishedSkills: new PublishedSkills(services),
    edits: new SkillEdits(services),
  }
}
