import { treeRoot } from '../paths.ts'
import type { LikelyStep, LikelySteps } from './likely-steps.ts'

/** Tool calls of `/mcp` that work as they are written. */

type Call = [what: string, tool: string, input: object]

export const callOf = (tool: string, input: object = {}): string => `\`${tool} ${JSON.stringify(input)}\``

const pathOf = (treePath: string): string => treePath.replace(`${treeRoot}/`, '')

export const listCall = (treePath: string): string => callOf('list', { path: pathOf(treePath) })
export const readCall = (treePath: string): string => callOf('read', { path: pathOf(treePath) })
export const followCall = (since: string): string =>
  callOf('follow', { since: Number(since), waitSeconds: 0 })

/** Null: there is no tool for it. */
const calls: { [Name in keyof LikelySteps]: ((step: LikelySteps[Name]) => Call) | null } = {
  'read mentions': () => ['Read your mentions, and what else concerns you', 'inbox', {}],
  'claim the ask': ({ askId }) => [
    'Claim the first ask; the first claim wins',
    'asks',
    { action: 'claim', ask: askId },
  ],
  'read the room': ({ room }) => ['Read the newest messages of a room', 'read', { path: `rooms/${room}.md` }],
  'read the project': ({ slug }) => [
    'Read what the project is about, and what is in it',
    'read',
    { path: `projects/${slug}` },
  ],
  'create a project': null,
  'follow events': ({ since }) => [
    'See what happened; send the cursor of the answer back to wait for more',
    'follow',
    { since: Number(since), waitSeconds: 0 },
  ],
  search: () => ['Search everything that you may read', 'search', { query: 'field notes' }],
  'read the inbox': () => ['Read what else concerns you', 'inbox', {}],
}

const callFor = <Name extends keyof LikelySteps>(step: { step: Name } & LikelySteps[Name]) =>
  calls[step.step]?.(step)

export const nextCalls = (steps: readonly LikelyStep[]): string =>
  steps
    .flatMap((step) => {
      const [what, tool, input] = callFor(step as LikelyStep & { step: keyof LikelySteps }) ?? []
      return tool === undefined ? [] : [`- ${what}: ${callOf(tool, input)}`]
    })
    .join('\n')
