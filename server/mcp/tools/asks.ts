import { z } from 'zod'
import type { AskView } from '../../../core/asks/types.ts'
import { asksPath } from '../../../core/paths.ts'
import type { InterfaceClient } from '../interface-client.ts'
import { present, tool } from '../tool.ts'

const askOutput = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.string(),
  body: z.string().optional(),
  options: z.array(z.string()).optional(),
  claimedBy: z.string().optional(),
  /** Where to read on in the body. */
  next: z.int().optional(),
})

/** UTF-16 code units. */
const listedCharacters = 1000
const readCharacters = 16_000

const input = z.strictObject({
  action: z.enum(['list', 'read', 'raise', 'claim', 'release', 'resolve']),
  ask: z.string().optional().describe('The ask’s id, to read, claim, release or resolve it'),
  project: z.string().optional().describe('Of a list, or of a new ask'),
  state: z.enum(['open', 'claimed', 'resolved', 'cancelled']).optional().describe('Of a list; default open'),
  cursor: z.string().optional().describe('Of a list: nextCursor of the page before'),
  from: z.int().min(0).optional().describe('To read on a body that was cut: its next'),
  title: z.string().optional().describe('Of a new ask'),
  body: z.string().optional().describe('Of a new ask'),
  options: z.array(z.string()).optional().describe('Two to four: makes a new ask a question'),
  assignees: z.array(z.string()).optional().describe('Of a new ask'),
  resolution: z.string().optional().describe('What was done, or the answer'),
  chosenOption: z.string().optional().describe('Of a question with options'),
})

export const asks = tool({
  name: 'asks',
  title: 'Asks',
  description:
    'Work and questions that someone in a project waits for: list them, read one whose body was cut (next), raise asks, claim or release work, resolve it with the result or the chosen option.',
  input,
  output: z.object({
    asks: z.array(askOutput).optional(),
    nextCursor: z.string().optional(),
    ask: askOutput.partial({ title: true, kind: true }).extend({ state: z.string() }).optional(),
  }),
  async run(client, { action, ask, ...fields }) {
    if (action === 'list') return listAsks(client, fields)
    if (action === 'raise') {
      const { project, title, body, options, assignees } = fields
      const newAsk = present({ project, title, body, options, assignees })
      const { json } = await client.send('POST', asksPath, { fields: newAsk })
      return { ask: { id: json.askId, state: 'open' } }
    }
    if (ask === undefined) throw new Error(`Name the ask to ${action}: ask = its id.`)
    const path = `${asksPath}/${encodeURIComponent(ask)}`
    if (action === 'read') {
      const { json } = await client.send('GET', path)
      const read = shortenAsk(json.ask, { from: fields.from, length: readCharacters })
      return { ask: { ...read, state: json.ask.state } }
    }
    const { resolution, chosenOption } = fields
    const request = action === 'resolve' ? { fields: present({ resolution, chosenOption }) } : {}
    const { json } = await client.send('POST', `${path}/${action}`, request)
    return { ask: { id: ask, state: json.state } }
  },
})

async function listAsks(
  client: InterfaceClient,
  { project, state = 'open', cursor }: Pick<z.output<typeof input>, 'project' | 'state' | 'cursor'>,
) {
  const { json } = await client.send('GET', asksPath, { query: { project, state, limit: 50, cursor } })
  return {
    asks: (json.asks as AskView[]).map((ask) => shortenAsk(ask, { length: listedCharacters })),
    ...present({ nextCursor: (json.nextCursor ?? undefined) as string | undefined }),
  }
}

/** Cuts the body, and says where the rest begins. */
function shortenAsk(
  { _id, title, kind, body, options, claimedBy }: AskView,
  { from = 0, length }: { from?: number | undefined; length: number },
) {
  const end = from + length
  return {
    id: _id,
    title,
    kind,
    ...(claimedBy !== null && { claimedBy }),
    ...(body !== '' && { body: body.slice(from, end) }),
    ...(end < body.length && { next: end }),
    ...(options.length > 0 && { options }),
  }
}
