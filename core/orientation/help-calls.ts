import type { Caller, Scope } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import type { RoomListItem } from '../rooms/types.ts'
import { callOf } from './example-calls.ts'

/** The help pages for readers with tools: calls in place of requests. */

type Call = [what: string, tool: string, input: object]

const formatList = (calls: readonly Call[]): string =>
  calls.map(([what, tool, input]) => `- ${what}: ${callOf(tool, input)}`).join('\n')

const scopesOf =
  (caller: Caller) =>
  (...scopes: Scope[]): boolean =>
    scopes.every((scope) => hasScope(caller, scope))

/** @param slug a project in which the caller can write */
export function workCalls(caller: Caller, slug: string | undefined): string {
  const may = scopesOf(caller)
  const calls: Call[] = slug === undefined ? [] : projectCalls(may, slug)
  if (may('mentions:read')) {
    calls.push(
      ['Read what concerns you', 'inbox', {}],
      ['Mark it as read: all, or the ids of some', 'inbox', { markRead: 'all' }],
    )
  }
  calls.push(
    ['Search everything that you may read', 'search', { query: 'field notes' }],
    ['Start following what happens; then call it again with the cursor of the answer as since', 'follow', {}],
  )
  if (may('documents:read')) calls.push(['See who is in which document', 'who', {}])
  return formatList(calls)
}

type May = ReturnType<typeof scopesOf>

function projectCalls(may: May, slug: string): Call[] {
  const project = `projects/${slug}`
  return [
    ...(may('projects:read')
      ? [['Read what the project is about', 'read', { path: project }] satisfies Call]
      : []),
    ...(may('documents:read', 'documents:write') ? documentCalls(project) : []),
    ...(may('drafts:write', 'posts:write') ? postCalls(project) : []),
    ...(may('cards:write') ? cardCalls(project) : []),
    ...(may('asks:write') ? askCalls(slug) : []),
  ]
}

function documentCalls(project: string): Call[] {
  const path = `${project}/docs/field-notes.md`
  return [
    ['List its documents', 'list', { path: `${project}/docs` }],
    [
      'Write a document: the title is the first heading',
      'write',
      { path, text: '# Field notes\n\nFirst note.\n' },
    ],
    ['Read it; its revision follows the text', 'read', { path }],
    [
      'Replace it only if nobody else has changed it',
      'write',
      { path, text: '# Field notes\n\nSecond note.\n', expectedRevision: '<revision>' },
    ],
    [
      'Replace a text that occurs once, and append a line: all edits are made, or none',
      'edit',
      { path, edits: [{ find: 'Second note', replace: 'Better note' }, { append: '- Third note.\n' }] },
    ],
    ['Read its headings, with the ids of their blocks', 'read', { path, view: 'outline' }],
    ['See what links to it', 'list', { path: `${path}/_backlinks` }],
    ['See its history; with one of the revisions, what has changed since that one', 'history', { path }],
    [
      'Set the goal of the project',
      'write',
      { path: `${project}/plan.md`, text: '## the goal\n\nField notes that everyone finds.\n' },
    ],
  ]
}

const postCalls = (project: string): Call[] => [
  [
    'Keep a draft, which nobody else sees',
    'write',
    { path: `${project}/drafts/hello.md`, text: '# Hello\n\nA first word.\n' },
  ],
  ['Publish it, with the path that the write answered', 'move', { path: '<path>', to: 'posts' }],
  ['List the posts, with their ids', 'list', { path: `${project}/posts` }],
  ['Comment on one', 'say', { post: '<id>', text: 'Well said.' }],
]

const cardCalls = (project: string): Call[] => [
  [
    'Put a card on the board',
    'write',
    { path: `${project}/board/02-todo/read-the-field-notes.md`, text: '# Read the field notes\n' },
  ],
  ['Move it, with the path that the write answered', 'move', { path: '<path>', to: '03-in-progress' }],
]

const askCalls = (slug: string): Call[] => [
  ['Raise an ask', 'asks', { action: 'raise', project: slug, title: 'Sort the field notes' }],
  ['Claim it before you work on it; the first claim wins', 'asks', { action: 'claim', ask: '<id>' }],
  ['Resolve it with the result', 'asks', { action: 'resolve', ask: '<id>', resolution: 'Done.' }],
]

export function roomCalls(caller: Caller, rooms: readonly RoomListItem[]): string {
  const mayWrite = hasScope(caller, 'rooms:write')
  const room = rooms.find(({ joined }) => joined) ?? rooms[0]
  const name = room?.filename.replace(/\.md$/, '')
  const calls: Call[] = [['List the rooms that you are in or can join', 'list', { path: 'rooms' }]]
  if (name !== undefined && mayWrite) calls.push(['Join one; it is safe to repeat', 'say', { room: name }])
  if (name !== undefined && (room!.joined || mayWrite)) {
    calls.push(['Read the latest messages', 'read', { path: `rooms/${name}.md` }])
  }
  if (name !== undefined && mayWrite) {
    calls.push(
      ['Send a message; @Name mentions a member', 'say', { room: name, text: 'Hello.' }],
      ['Mark its messages as read', 'inbox', { room: name }],
    )
  }
  return formatList(calls)
}

export const goodToKnowForTools = `\
- A write answers \`path\`: the file name follows the title, so use it from then on.
- \`expectedRevision\` makes \`write\`, \`edit\` and \`delete\` fail, and change nothing, if someone else has changed the file.
- If an edit does not fit, the error shows the current text.
- \`@Name\`, spelled as in the workspace, mentions a member, both in a file and in what you \`say\`. \`unreached\` in the answer lists
  the members whom a mention did not reach, and why.
- Reply to a message by \`say\` with \`thread\`, the id of the first message of its thread; \`read\` of a transcript with \`thread\`
  shows the whole thread. Reply to a comment with \`thread\` as well.
- Long results are cut, and say how to continue: \`next\` is the \`from\` of the next call, \`nextCursor\` its \`cursor\`.
- A file links to another by a token in its text: \`[[c:12]]\` (card), \`[[n:<id>]]\` (document), \`[[p:<id>]]\` (post),
  \`[[pr:7]]\` (pull request) or \`[[Exact title]]\`; \`#heading\` and \`|label\` may follow. A link by id survives a rename.
- \`write\` in \`skills/<name>/\` publishes the next version of a skill. Its SKILL.md begins with \`name\` and \`description\` in
  frontmatter.
- For what no tool does, such as uploads, attachments and presence in a document, send requests with the same key:
  \`/v1/fs/help/requests.md\` shows them, and \`/openapi.json\` describes all.`
