import { z } from 'zod'
import { oneOf, refusedAs } from '../input-types.ts'

const views = ['blocks', 'outline'] as const

export const viewParameter = {
  view: oneOf(
    views,
    (view) => `There is no view ${JSON.stringify(view.slice(0, 40))}. The views are: ${views.join(', ')}.`,
  )
    .optional()
    .describe('Another form of the same: its blocks with their ids, or its headings'),
}

export const refusedView = {
  view: refused('Views are read-only; PUT the markdown, never the projection.'),
}

/** A parameter that similar requests take, but this one refuses. */
export function refused(sentence: string): z.ZodOptional<z.ZodNever> {
  const never = refusedAs(z.never(), z.unknown(), () => sentence)
  return never.optional().meta({ description: `Refused. ${sentence}` })
}
