import type { Caller } from '../access/member.ts'
import { asksPath, inboxPath, treeRoot } from '../paths.ts'
import { callOf, followCall, listCall, nextCalls, readCall } from './example-calls.ts'
import { nextRequests, requestsFor, shellSetup } from './example-requests.ts'
import { helpTopicsFor, helpTreePath } from './help-pages.ts'
import type { LikelyStep } from './likely-steps.ts'

/** How pages word what their reader can do: as requests, or as calls of tools. */
export interface Wording {
  list(treePath: string): string
  read(treePath: string): string
  events(since: string): string
  asks: string
  inbox: string
  /** The form of responses. */
  responseFormat: string
  /** Shown to a caller in no project. */
  noProject: string
  next(steps: readonly LikelyStep[]): string
  help: string
}

const get = (path: string): string => `\`GET ${path}\``

export const requestWording = (publicUrl: string, caller: Caller): Wording => ({
  list: get,
  read: get,
  events: (since) => `GET /v1/events?since=${since}&wait=0`,
  asks: get(asksPath),
  inbox: get(inboxPath),
  responseFormat: 'Here folders answer JSON and files markdown.',
  noProject: 'Ask an owner or admin to add you to one, or create one: see below.',
  next: (steps) =>
    `## Next requests\n\n${shellSetup(publicUrl)}\n\n${nextRequests(requestsFor(caller), steps)}`,
  help: `## Help\n\n${helpList(caller)}`,
})

function helpList(caller: Caller): string {
  const lines = helpTopicsFor(caller).map(({ topic, about }) => `- \`${helpTreePath(topic)}\`: ${about}`)
  return `The rest, which ${get(`${treeRoot}/help`)} lists as JSON:\n\n${lines.join('\n')}`
}

export const toolWording: Wording = {
  list: listCall,
  read: readCall,
  events: followCall,
  asks: callOf('asks', { action: 'list' }),
  inbox: callOf('inbox'),
  responseFormat: 'Paths are for `list`, `read`, `write` and `edit`.',
  noProject: 'Ask an owner or admin to add you to one.',
  next: (steps) => `## Next calls\n\n${nextCalls(steps)}`,
  help:
    `## Help\n\n${readCall(helpTreePath('requests'))} has a call for each thing that you can do; ` +
    `${callOf('list', { path: 'help' })} lists the other pages.`,
}
