import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import { readSkillFiles, type Skills } from '../../core/skills/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { mustBe, refusalBy, refusedAs } from '../input-types.ts'
import { projectFields, projectParameter, requireProjectField } from '../project-fields.ts'
import { publishedSkill, savedSkill, skill as skillModel, wholeSkill } from '../schemas/skills.ts'

/** The version that a change builds on; 0 for a new skill. */
const base = mustBe(z.int().min(0), 'a whole number, 0 for a new skill')

const files = refusedAs(
  z.record(z.string(), z.string()),
  mustBe(z.looseObject({}), 'an object of texts by their paths, such as {"SKILL.md": "…"}'),
  (files) => refusalBy(() => readSkillFiles(files)),
)

const address = { ...projectFields, name: z.string(), expectedVersion: base, expectedDraftRevision: base }

const version = mustBe(
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .meta({ type: 'integer' }),
  'a whole number',
)

const listSkills = accepts({ query: { project: projectParameter } })
const readSkill = accepts({ query: { version: version.describe('A published version').optional() } })
const saveSkill = accepts({ body: { ...address, files } })
const publishSkill = accepts({ body: address })

export const skillRoutes = (skills: Skills, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List a project’s skills, drafts included')
    .answers(z.object({ skills: z.array(skillModel) }))
    .refuses('forbidden', 'not_found')
    .get('/v1/skills', listSkills, async (ctx) => {
      const { project } = listSkills.query(ctx)
      if (!project) throw new WorkspaceError('bad_request', 'Name the project: GET /v1/skills?project=SLUG')
      ctx.body = { skills: await skills.all(ctx.state.caller, project) }
    })
    .purpose('Read the draft of a skill, or with ?version= a published version')
    .answers(z.object({ skill: wholeSkill }))
    .refuses('forbidden', 'not_found')
    .get('/v1/skills/:project/:name', readSkill, async (ctx) => {
      const { project, name } = ctx.params
      const { version = null } = readSkill.query(ctx)
      ctx.body = {
        skill: await skills.find(ctx.state.caller, { project: project!, name: name! }, version),
      }
    })
    .purpose('Save the draft of a skill')
    .answers(z.object({ skill: savedSkill }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post('/v1/skills', saveSkill, async (ctx) => {
      const { project, projectId, ...fields } = await saveSkill.fields(ctx)
      const request = { ...fields, project: requireProjectField({ project, projectId }, projects) }
      const { name, version, draftRevision } = await skills.save(ctx.state.caller, request, request)
      ctx.status = 201
      ctx.body = { skill: { name, version, draftRevision } }
    })
    .purpose('Publish the draft of a skill')
    .answers(z.object({ skill: publishedSkill }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post('/v1/skills/publish', publishSkill, async (ctx) => {
      const { project, projectId, ...fields } = await publishSkill.fields(ctx)
      const request = { ...fields, project: requireProjectField({ project, projectId }, projects) }
      const { name, version, draftRevision, path } = await skills.publish(ctx.state.caller, request, request)
      ctx.body = { skill: { name, version, draftRevision, path } }
    })
