import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import type { Skills } from '../../core/skills/index.ts'
import { accepts } from '../accepted-input.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { projectFields, requireProjectField } from '../project-fields.ts'
import { type FieldType, queryText, readFields, text } from '../request-fields.ts'

/** What a caller builds on; 0 means new. */
const count: FieldType<number> = {
  description: 'a whole number, 0 where it is new',
  isOf: (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
}

const files: FieldType<Record<string, unknown>> = {
  description: 'an object of texts by their paths, such as {"SKILL.md": "…"}',
  isOf: (value): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

const address = { ...projectFields, name: text, expectedVersion: count, expectedDraftRevision: count }

export const skillRoutes = (skills: Skills, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List a project’s skills, drafts included')
    .get('/v1/skills', accepts({ query: ['project'] }), async (ctx) => {
      const project = queryText(ctx, 'project')
      if (!project) throw new WorkspaceError('bad_request', 'Name the project: GET /v1/skills?project=SLUG')
      ctx.body = { skills: await skills.all(ctx.state.caller, project) }
    })
    .purpose('Read the draft of a skill, or with ?version= a published version')
    .get('/v1/skills/:project/:name', accepts({ query: ['version'] }), async (ctx) => {
      const { project, name } = ctx.params
      const version = versionOf(ctx)
      ctx.body = {
        skill: await skills.find(ctx.state.caller, { project: project!, name: name! }, version),
      }
    })
    .purpose('Save the draft of a skill')
    .post('/v1/skills', accepts({ body: 'json' }), async (ctx) => {
      const { project, projectId, ...fields } = await readFields(ctx, { ...address, files })
      const request = { ...fields, project: requireProjectField({ project, projectId }, projects) }
      const { name, version, draftRevision } = await skills.save(ctx.state.caller, request, request)
      ctx.status = 201
      ctx.body = { skill: { name, version, draftRevision } }
    })
    .purpose('Publish the draft of a skill')
    .post('/v1/skills/publish', accepts({ body: 'json' }), async (ctx) => {
      const { project, projectId, ...fields } = await readFields(ctx, address)
      const request = { ...fields, project: requireProjectField({ project, projectId }, projects) }
      const { name, version, draftRevision, path } = await skills.publish(ctx.state.caller, request, request)
      ctx.body = { skill: { name, version, draftRevision, path } }
    })

/** The version that a request asks for; null: the draft. */
function versionOf(ctx: Context): number | null {
  const version = queryText(ctx, 'version')
  if (version === undefined) return null
  if (/^\d{1,9}$/.test(version)) return Number(version)
  throw new WorkspaceError('bad_request', '?version= must be a whole number.')
}
