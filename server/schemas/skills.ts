import { z } from 'zod'
import type { SkillListing, SkillRecord } from '../../core/skills/types.ts'
import { model, time } from './model.ts'

export const skill = model(
  'Skill',
  z.object({
    project: z.string(),
    name: z.string(),
    description: z.string(),
    version: z.int(),
    draftRevision: z.int(),
    changedAt: time,
    path: z.string().nullable(),
  }) satisfies z.ZodType<SkillRecord>,
)

/** Files by path; null if that version has none. */
export const wholeSkill = model(
  'WholeSkill',
  z.object({ ...skill.shape, files: z.record(z.string(), z.string()).nullable() }),
)

const versions = { name: z.string(), version: z.int(), draftRevision: z.int() }

export const savedSkill = z.object(versions)
export const publishedSkill = z.object({ ...versions, path: z.string() })

export const skillListing = model(
  'SkillListing',
  z.object({ ...versions, description: z.string(), path: z.string() }) satisfies z.ZodType<SkillListing>,
)

export const skillFile = z.object({
  name: z.string(),
  type: z.string(),
  size: z.int(),
  path: z.string(),
})
