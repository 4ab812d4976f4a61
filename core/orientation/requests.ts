import { hasScope } from '../access.ts'
import type { Caller, Scope } from '../members/types.ts'
import type { RoomFileRow } from '../rooms/types.ts'

/** Commands for a shell that work when they are pasted, with the key in `WORKROOM_KEY`. */

export const projectPath = (slug: string) => `/v1/fs/projects/${encodeURIComponent(slug)}`

/** What makes the commands of one caller. */
export interface Requests {
  /** A request: the options, behind a space each, and the path. */
  curl(options: string, path: string): string
  /** Whether the caller's key may do what takes these scopes. */
  may(...scopes: Scope[]): boolean
}

export const requestsFor = (publicUrl: string, caller: Caller): Requests => ({
  curl: (options, path) =>
    `curl -sS -H "Authorization: Bearer $WORKROOM_KEY"${options} ${quoted(publicUrl + path)}`,
  may: (...scopes) => scopes.every((scope) => hasScope(caller, scope)),
})

/** What a command does, and the command. */
type Step = [what: string, command: string]

/** Within single quotes a shell changes nothing. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A part of a path that the shell puts in, which it does outside of single quotes alone. */
const filled = (command: string, variable: string) =>
  command.replace(`$${variable}`, `'"$${variable}"'`).replace(/''$/, '')

const script = (steps: readonly Step[]): string =>
  `\`\`\`sh\n${steps.map(([what, command]) => `# ${what}\n${command}`).join('\n\n')}\n\`\`\``

const post = ' -X POST'
const postJson = (body: object) =>
  ` -X POST -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`
const put = ' -X PUT --data-binary @-'
const send = ' -X POST --data-binary @-'

/** Keeps what stands behind `"name":"` in an answer. */
const keep = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`

/** What can be done next. @param slug of a project that the caller can write in; undefined: there is none */
export function workRequests(requests: Requests, slug: string | undefined): string {
  const { curl, may } = requests
  const steps = slug === undefined ? firstProjectSteps(requests) : projectSteps(requests, slug)
  if (may('mentions:read')) {
    steps.push(
      ['Read your mentions', curl('', '/v1/fs/inbox/mentions.md')],
      ['Mark them as read', curl(post, '/api/inbox/read')],
    )
  }
  steps.push(
    ['Search everything that you may read', curl('', '/v1/search?q=field+notes')],
    [
      'See what happened. Send the cursor of the answer back as since, with wait=50: the request is held until there is news',
      curl('', '/v1/events?since=0&wait=0'),
    ],
  )
  if (may('documents:read')) steps.push(['See who is in which document', curl('', '/v1/presence')])
  return script(steps)
}

const firstProjectSteps = ({ curl, may }: Requests): Step[] =>
  may('projects:read')
    ? [
        ['Make a project of your own', curl(` -d '{"name": "My first project"}'`, '/v1/fs/projects')],
        ['List your projects', curl('', '/v1/fs/projects')],
      ]
    : []

function projectSteps(requests: Requests, slug: string): Step[] {
  const { curl, may } = requests
  const project = projectPath(slug)
  return [
    ...(may('projects:read') ? [['Read what the project is about', curl('', project)] satisfies Step] : []),
    ...(may('documents:read', 'documents:write') ? documentSteps(requests, project) : []),
    ...(may('drafts:write', 'posts:write') ? postSteps(requests, project) : []),
    ...(may('cards:write') ? cardSteps(requests, project) : []),
    ...(may('asks:write') ? askSteps(requests, slug) : []),
  ]
}

function documentSteps({ curl }: Requests, project: string): Step[] {
  const notes = `${project}/docs/field-notes.md`
  const oneBlock = filled(curl(put, `${notes}?block=$block`), 'block')
  return [
    ['List its documents', curl('', `${project}/docs`)],
    [
      'Write a document: the title is the first heading',
      `printf '# Field notes\\n\\nFirst note.\\n' | ${curl(put, notes)}`,
    ],
    ['Read it, with its revision in the header ETag', curl(' -i', notes)],
    [
      'Change it only if nobody else has: If-Match takes the revision that you read',
      `revision=$(${curl(' -I', notes)} | tr -d '\\r' | awk 'tolower($1) == "x-service-revision:" { print $2 }')\n` +
        `printf '# Field notes\\n\\nSecond note.\\n' | ${curl(`${put} -H "If-Match: $revision"`, notes)}`,
    ],
    [
      'See its blocks, and keep the id of one that can be written',
      `block=$(${curl('', `${notes}?view=blocks`)} | sed 's/.*"id":"\\([^"]*\\)","writable":true,"type":"paragraph".*/\\1/')`,
    ],
    ['Write that block alone', `printf 'Second note, put better.' | ${oneBlock}`],
    ['Say that you are in it; who is there sees you for 90 seconds', curl(post, `${notes}/_presence`)],
    ['Find the token by which another file links to it', curl('', `${project}/refs?q=field`)],
    ['See what links to it', curl('', `${notes}/_backlinks`)],
    [
      'Upload a file of any kind',
      `printf 'a,b\\n1,2\\n' | ${curl(send, `${project}/library/files?name=numbers.csv`)}`,
    ],
    [
      'Set the goal of the project',
      `printf '## the goal\\n\\nField notes that everybody finds.\\n' | ${curl(put, `${project}/plan.md`)}`,
    ],
  ]
}

function postSteps({ curl, may }: Requests, project: string): Step[] {
  const draft = `${project}/drafts/hello.md`
  const comments = filled(curl(postJson({ body: 'Well said.' }), '/v1/posts/$post/comments'), 'post')
  return [
    ['Keep a draft, which nobody else sees', `printf '# Hello\\n\\nA first word.\\n' | ${curl(put, draft)}`],
    ['Attach a file to it', `printf 'a,b\\n1,2\\n' | ${curl(send, `${draft}/attachments?name=numbers.csv`)}`],
    [
      'Publish it, and keep its id (a PUT under posts/ publishes at once)',
      `post=$(${curl(post, `${draft}/_publish`)} | ${keep('id')})`,
    ],
    ['Comment on it', comments],
    ...(may('posts:read') ? [['List the posts', curl('', `${project}/posts`)] satisfies Step] : []),
  ]
}

const cardSteps = ({ curl }: Requests, project: string): Step[] => [
  [
    'Put a card on the board, and keep its path',
    `card=$(printf '# Read the field notes\\n' | ${curl(put, `${project}/board/02-todo/read-the-field-notes.md`)} | ${keep('path')})`,
  ],
  ['Move it', filled(curl(postJson({ toColumn: '03-in-progress' }), '$card/_move'), 'card')],
]

function askSteps({ curl }: Requests, slug: string): Step[] {
  const raise = curl(postJson({ project: slug, title: 'Sort the field notes' }), '/api/asks')
  const step = (options: string, name: string) => filled(curl(options, `/api/asks/$ask/${name}`), 'ask')
  return [
    ['Ask for something, and keep the id', `ask=$(${raise} | ${keep('askId')})`],
    ['Claim it before you work on it; the first claim wins', step(post, 'claim')],
    ['Resolve it with what came of it', step(postJson({ resolution: 'Done.' }), 'resolve')],
  ]
}

/** The request that claims an ask; `''` where the caller may not. */
export const claimRequest = ({ curl, may }: Requests, askId: string): string =>
  may('asks:write')
    ? script([['Claim the first of them; the first claim wins', curl(post, `/api/asks/${askId}/claim`)]])
    : ''

/** What can be done in the rooms. */
export function roomRequests({ curl, may }: Requests, rooms: readonly RoomFileRow[]): string {
  const room = rooms.find(({ joined }) => joined) ?? rooms[0]
  const path = room && `/api/rooms/${encodeURIComponent(room.filename.replace(/\.md$/, ''))}`
  const mayWrite = may('rooms:write')
  const isReadable = room?.joined || mayWrite
  const steps: Step[] = [['List the rooms that you are in or can join', curl('', '/api/rooms?all=1')]]
  if (path && mayWrite) steps.push(['Join one; it is safe to repeat', curl(post, `${path}/join`)])
  if (path && isReadable) {
    steps.push(
      ['Read its newest messages, page by page', curl('', `${path}/messages?limit=20`)],
      ['Read what was said last, as markdown', curl('', room.path)],
    )
  }
  if (path && mayWrite) {
    steps.push(
      ['Say that you are here: @here reaches you', curl(post, '/api/presence')],
      [
        'Say something; a mention is written @[Name](memberId)',
        curl(postJson({ body: 'Hello.' }), `${path}/messages`),
      ],
    )
  }
  return script(steps)
}
