import { z } from 'zod'
import { type AskView, askKinds, askStates } from '../../core/asks/types.ts'
import { model, time } from './model.ts'

const state = z.enum(askStates)

export const ask = model(
  'Ask',
  z.object({
    _id: z.string(),
    projectId: z.string(),
    kind: z.enum(askKinds),
    title: z.string(),
    body: z.string(),
    options: z.array(z.string()),
    state,
    createdBy: z.string(),
    assignees: z.array(z.string()),
    claimedBy: z.string().nullable(),
    chosenOption: z.string().nullable(),
    resolution: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
  }) satisfies z.ZodType<AskView>,
)

/** An ask after a change of state, with the fields that the change sets. */
export const askStep = <Shape extends z.ZodRawShape>(fields: Shape) =>
  z.object({ askId: z.string(), state, ...fields })
