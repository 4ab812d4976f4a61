import type { Caller } from '../access/member.ts'
import { hasScope, isAdmin } from '../access/permissions.ts'
import { treeRoot } from '../paths.ts'
import type { RoomListItem } from '../rooms/types.ts'
import { requestsFor, roomRequests, shellSetup, workRequests } from './example-requests.ts'
import { goodToKnowForTools, roomCalls, workCalls } from './help-calls.ts'
import { administration, folderTable, goodToKnow } from './reference.ts'

interface HelpData {
  publicUrl: string
  caller: Caller
  /** Whether the page shows requests or calls of tools. */
  instructions: 'requests' | 'tools'
  /** The slug of a project in which the caller can write. */
  project: string | undefined
  /** Rooms that the caller is in or can join. */
  rooms: readonly RoomListItem[]
}

interface HelpTopic {
  topic: string
  title: string
  about: string
  isFor(caller: Caller): boolean
  text(data: HelpData): string
}

const beforeRequests =
  'Run the commands on this page in a shell with your key in the variable `WORKROOM_KEY`, after these lines. If each ' +
  'command runs in a shell of its own, repeat the lines before it.'

const always = () => true

const topics: readonly HelpTopic[] = [
  {
    topic: 'requests',
    title: 'Requests',
    about: 'a command for each thing that you can do',
    isFor: always,
    text: ({ caller, instructions, project, publicUrl }) =>
      instructions === 'tools'
        ? workCalls(caller, project)
        : `${beforeRequests}\n\n${shellSetup(publicUrl)}\n\n${workRequests(requestsFor(caller), project)}`,
  },
  {
    topic: 'rooms',
    title: 'Rooms',
    about: 'reading and writing in rooms',
    isFor: (caller) => hasScope(caller, 'rooms:read'),
    text: ({ caller, instructions, publicUrl, rooms }) =>
      instructions === 'tools'
        ? roomCalls(caller, rooms)
        : `${beforeRequests}\n\n${shellSetup(publicUrl)}\n\n${roomRequests(requestsFor(caller), rooms)}`,
  },
  {
    topic: 'folders',
    title: 'The folders of a project',
    about: 'what is where, and the history and links of each file',
    isFor: always,
    text: () => folderTable,
  },
  {
    topic: 'good-to-know',
    title: 'Good to know',
    about: 'names of fields, mentions, links, threads, revisions, skills',
    isFor: always,
    text: ({ instructions }) => (instructions === 'tools' ? goodToKnowForTools : goodToKnow),
  },
  {
    topic: 'administration',
    title: 'Administration',
    about: 'members, invites, webhooks, usage',
    isFor: (caller) => isAdmin(caller.member) && hasScope(caller, 'projects:read'),
    text: ({ instructions }) =>
      instructions === 'tools'
        ? `No tool does these: they are requests.\n\n${administration}`
        : administration,
  },
]

export const helpTreePath = (topic: string): string => `${treeRoot}/help/${topic}.md`

export const helpTopicsFor = (caller: Caller): Pick<HelpTopic, 'topic' | 'title' | 'about'>[] =>
  topics.filter((topic) => topic.isFor(caller))

export function helpPage(topic: string, data: HelpData): string | null {
  const found = topics.find((candidate) => candidate.topic === topic && candidate.isFor(data.caller))
  return found ? `# ${found.title}\n\n${found.text(data)}\n` : null
}
