import { z } from 'zod'
import type { Asks } from '../../core/asks/asks.ts'
import { askKinds, askStates } from '../../core/asks/types.ts'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { sentOnce, sentWith } from '../described-headers.ts'
import { count, withAliases } from '../input-types.ts'
import { cursor } from '../page-request.ts'
import { projectFields, projectParameter, requireProjectField } from '../project-fields.ts'
import { ask as askModel, askStep } from '../schemas/asks.ts'
import { normalizeClientName } from './client-name.ts'

const ask = '/api/asks/:askId'

const listAsks = accepts({
  query: {
    project: projectParameter,
    state: z.enum(askStates).describe('The state that they are in').optional(),
    limit: count(100).default(50),
    cursor,
  },
})

const createAsk = accepts({
  body: {
    ...projectFields,
    title: z.string(),
    body: z.string().optional(),
    kind: z.enum(askKinds).optional(),
    options: z.array(z.string()).optional(),
    assignees: z.array(z.string()).optional(),
    roomId: z.string().optional(),
  },
  headers: { ...sentOnce, ...sentWith },
})

const resolveAsk = accepts({
  body: {
    resolution: withAliases(z.string().optional(), 'result', 'answer', 'body', 'text'),
    chosenOption: withAliases(z.string().optional(), 'option', 'choice'),
  },
})

const setAssignees = accepts({ body: { assignees: z.array(z.string()) } })

export const askRoutes = (asks: Asks, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List the asks that you can see, newest first')
    .answers(z.object({ asks: z.array(askModel), nextCursor: z.string().nullable() }))
    .refuses('forbidden', 'not_found')
    .get('/api/asks', listAsks, (ctx) => {
      const { cursor, ...filters } = listAsks.query(ctx)
      ctx.body = asks.list(ctx.state.caller, { ...filters, ...(cursor && { cursor }) })
    })
    .purpose('Create an ask: work to be claimed, or a question with two to four options')
    .answers(z.object({ askId: z.string() }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post('/api/asks', createAsk, async (ctx) => {
      const { project, projectId, ...fields } = await createAsk.fields(ctx)
      const sentVia = normalizeClientName(ctx.req.headers['x-service-client'])
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const created = await asks.create(ctx.state.caller, {
        ...fields,
        project: requireProjectField({ project, projectId }, projects),
        ...(sentVia !== undefined && { sentVia }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .purpose('Read an ask')
    .answers(z.object({ ask: askModel }))
    .refuses('forbidden', 'not_found')
    .get(ask, (ctx) => {
      ctx.body = { ask: asks.get(ctx.state.caller, ctx.params.askId!) }
    })
    .purpose('Claim work; safe to repeat')
    .answers(askStep({ claimedBy: z.string().nullable() }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${ask}/claim`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.claim(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .purpose('Release claimed work')
    .answers(askStep({ claimedBy: z.string().nullable() }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${ask}/release`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.release(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .purpose('Resolve work, or answer a question')
    .answers(askStep({ chosenOption: z.string().nullable(), resolution: z.string().nullable() }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${ask}/resolve`, resolveAsk, async (ctx) => {
      const answer = await resolveAsk.fields(ctx)
      const resolved = await asks.resolve(ctx.state.caller, ctx.params.askId!, answer)
      const { _id: askId, state, chosenOption, resolution } = resolved
      ctx.body = { askId, state, chosenOption, resolution }
    })
    .purpose('Cancel an ask')
    .answers(askStep({}))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${ask}/cancel`, async (ctx) => {
      const { _id: askId, state } = await asks.cancel(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state }
    })
    .purpose('Set the assignees of an ask')
    .answers(askStep({ assignees: z.array(z.string()) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .put(`${ask}/assignees`, setAssignees, async (ctx) => {
      const { assignees: requested } = await setAssignees.fields(ctx)
      const {
        _id: askId,
        state,
        assignees,
      } = await asks.assign(ctx.state.caller, ctx.params.askId!, requested)
      ctx.body = { askId, state, assignees }
    })
