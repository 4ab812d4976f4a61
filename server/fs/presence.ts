import { z } from 'zod'
import type { Address, Documents, PresenceResult } from '../../core/documents/index.ts'
import { presenceKinds } from '../../core/documents/model/types.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteRefusal, type Routes } from '../context.ts'
import { invalidInput } from '../input-refusals.ts'
import { bodyModel } from '../schemas/model.ts'
import { presence as presenceModel } from '../schemas/tree.ts'
import { fileRefusals, type Noun } from './document-routes.ts'

/** Core checks the value, for members who enter only. */
const kind = z
  .string()
  .optional()
  .meta({ enum: [...presenceKinds], description: 'Default editing' })

const enterOrLeave = accepts({
  query: {
    kind,
    block: z.string().describe('The block that you are at, by its id').optional(),
    leave: z.string().describe('Takes you out; empty, true or false').optional(),
  },
  body: bodyModel('PresenceState', {
    kind,
    block: z.string().nullable().optional(),
    leave: z.boolean().optional(),
    present: z.boolean().optional(),
  }),
})

interface PresenceRoutesOptions {
  noun: Noun
  /** Such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => Address
  refuses?: readonly RouteRefusal[]
  presence: Documents['presence']
  live: Pick<Workspace['live'], 'isLive'>
}

/** Says that the caller is in a file or has left it. The query takes precedence over the body. */
export const presenceRoutes = ({
  noun,
  path,
  addressOf,
  refuses = fileRefusals,
  presence,
  live,
}: PresenceRoutesOptions): Routes =>
  newRoutes()
    .purpose(
      noun === 'document'
        ? 'Say that you are in a document; ?leave says that you have left'
        : refusedPurpose(noun),
    )
    .answers(presenceModel)
    .refuses(...refuses)
    .post(`${path}/_presence`, enterOrLeave, async (ctx) => {
      const { caller } = ctx.state
      const address = addressOf(ctx.params)
      const query = enterOrLeave.query(ctx)
      const { leave, present, ...fields } = await enterOrLeave.fields(ctx)
      if (leave !== undefined && leave === present) {
        throw invalidInput(`{"leave": ${leave}, "present": ${present}} contradicts itself. Send one of them.`)
      }
      if (isLeaving(query.leave) ?? leave ?? present === false) {
        ctx.body = withLive(await presence.leave(caller, address), live)
        return
      }
      const kind = query.kind ?? fields.kind
      const block = query.block ?? fields.block ?? undefined
      const state = { ...(kind !== undefined && { kind }), ...(block !== undefined && { block }) }
      ctx.body = withLive(await presence.beat(caller, address, state), live)
    })
    .purpose(noun === 'document' ? 'Say that you have left a document' : refusedPurpose(noun))
    .answers(presenceModel)
    .refuses(...refuses)
    .delete(`${path}/_presence`, async (ctx) => {
      ctx.body = withLive(await presence.leave(ctx.state.caller, addressOf(ctx.params)), live)
    })

const withLive = (result: PresenceResult, live: Pick<Workspace['live'], 'isLive'>) => ({
  ...result,
  ...(live.isLive(result.document.id) && { live: true }),
})

const refusedPurpose = (noun: Noun) => `Refused: presence is not shown for a ${noun}`

/** Undefined if the parameter is absent. */
function isLeaving(leave: string | undefined): boolean | undefined {
  if (leave === undefined) return undefined
  if (['', '1', 'true'].includes(leave)) return true
  if (['0', 'false'].includes(leave)) return false
  throw invalidInput('?leave takes no value, or true or false.')
}
