import { WorkspaceError } from '../../core/errors.ts'
import type { Skills } from '../../core/skills/index.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { type FieldType, queryText, readFields, text } from '../request-fields.ts'

/** What a caller builds on; 0 means new. */
const count: FieldType<number> = {
  what: 'a whole number, 0 where it is new',
  isOf: (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0,
}

const files: FieldType<Record<string, unknown>> = {
  what: 'an object of texts by their paths, such as {"SKILL.md": "…"}',
  isOf: (value): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

const address = { project: text, name: text, expectedVersion: count, expectedDraftRevision: count }

/** Skills: their drafts are saved and read here, and published into the project's folder. */
export const skillRoutes = (skills: Skills): Routes =>
  newRoutes()
    .get('/v1/skills', async (ctx) => {
      const project = queryText(ctx, 'project')
      if (!project) throw new WorkspaceError('bad_request', 'Name the project: GET /v1/skills?project=SLUG')
      ctx.body = { skills: await skills.all(ctx.state.caller, project) }
    })
    .get('/v1/skills/:project/:name', async (ctx) => {
      const { project, name } = ctx.params
      const version = versionOf(ctx)
      ctx.body = {
        skill: await skills.find(ctx.state.caller, { project: project!, name: name! }, version),
      }
    })
    .post('/v1/skills', async (ctx) => {
      const request = await readFields(ctx, { ...address, files })
      const { name, version, draftRevision } = await skills.save(ctx.state.caller, request, request)
      ctx.status = 201
      ctx.body = { skill: { name, version, draftRevision } }
    })
    .post('/v1/skills/publish', async (ctx) => {
      const request = await readFields(ctx, address)
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
