import { z } from 'zod'
import type { AskView } from '../../../core/asks/types.ts'
import type { InterfaceClient } from '../interface-client.ts'
import { present, tool } from '../tool.ts'

const shownAsk = z.object({
  id: z.string(),
  title: z.string(),
  kind: z.string(),
  state: z.string(),
  body: z.string().optional(),
  options: z.array(z.string()).optional(),
  claimedBy: z.string().optional(),
})

const changedAsk = z.object({ id: z.string(), state: z.string() })

const input = z.strictObject({
  action: z.enum(['list', 'raise', 'claim', 'release', 'resolve']),
  ask: z.string().optional().describe('The ask’s id, to claim, release or resolve it'),
  project: z.string().optional().describe('Of a list, or of a new ask'),
  state: z.enum(['open', 'claimed', 'resolved', 'cancelled']).optional().describe('Of a list; default open'),
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
    'Work and questions that someone in a project waits for: list or create asks, claim or release work, resolve it with the result or the chosen option.',
  input,
  output: z.object({ asks: z.array(shownAsk).optional(), ask: changedAsk.optional() }),
  async run(client, { action, ask, ...fields }) {
    if (action === 'list') return listAsks(client, fields)
    if (action === 'raise') {
      const { project, title, body, options, assignees } = fields
      const made = present({ project, title, body, options, assignees })
      const { json } = await client.send('POST', '/api/asks', { fields: made })
      return { ask: { id: json.askId, state: 'open' } }
    }
    if (ask === undefined) throw new Error(`Name the ask to ${action}: ask = its id.`)
    const { resolution, chosenOption } = fields
    const answer = action === 'resolve' ? { fields: present({ resolution, chosenOption }) } : {}
    const { json } = await client.send('POST', `/api/asks/${encodeURIComponent(ask)}/${action}`, answer)
    return { ask: { id: ask, state: json.state } }
  },
})

async function listAsks(
  client: InterfaceClient,
  { project, state = 'open' }: Pick<z.output<typeof input>, 'project' | 'state'>,
) {
  const { json } = await client.send('GET', '/api/asks', { query: { project, state, limit: 50 } })
  const listed = json.asks as AskView[]
  return {
    asks: listed.map(({ _id, title, kind, state, body, options, claimedBy }) => ({
      id: _id,
      title,
      kind,
      state,
      ...(claimedBy !== null && { claimedBy }),
      ...(body !== '' && { body }),
      ...(options.length > 0 && { options }),
    })),
  }
}
