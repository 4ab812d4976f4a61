import type { Caller, Scope } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import {
  askStepPath,
  asksPath,
  commentsPath,
  inboxPath,
  mentionsTreePath,
  messagesPath,
  projectsTreePath,
  projectTreePath,
  readMentionsPath,
  roomPath,
} from '../paths.ts'
import type { RoomListItem } from '../rooms/types.ts'
import type { LikelyStep, LikelySteps } from './likely-steps.ts'

/** Shell commands that work when pasted after `shellSetup`, with the key in `WORKROOM_KEY`. */

interface RequestBuilder {
  /** `options` begin with a space; in `path` the shell expands its variables. */
  request(options: string, path: string): string
  may(...scopes: Scope[]): boolean
}

/** Defines the base URL, and `wr`, which sends a request. */
export const shellSetup = (publicUrl: string): string =>
  script(`url=${quoteForShell(publicUrl)}\nwr() { curl -sS -H "Authorization: Bearer $WORKROOM_KEY" "$@"; }`)

export const requestsFor = (caller: Caller): RequestBuilder => ({
  request: (options, path) => `wr${options} "$url${path.replace(/["`\\]/g, '\\$&')}"`,
  may: (...scopes) => scopes.every((scope) => hasScope(caller, scope)),
})

type Step = [what: string, command: string]

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const script = (text: string): string => `\`\`\`sh\n${text}\n\`\`\``

const scriptOf = (steps: readonly Step[]): string =>
  script(steps.map(([what, command]) => `# ${what}\n${command}`).join('\n\n'))

const post = ' -X POST'
const postJson = (body: object) =>
  ` -X POST -H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(body))}`
const patchJson = (body: object) =>
  ` -X PATCH -H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(body))}`
const putDocument = ' -X PUT --data-binary @-'
const postData = ' -X POST --data-binary @-'

const saveId = (name: string) => `sed 's/.*"${name}":"\\([^"]*\\)".*/\\1/'`

/** @param slug a project in which the caller can write */
export function workRequests(requests: RequestBuilder, slug: string | undefined): string {
  const { request, may } = requests
  const steps = slug === undefined ? firstProjectSteps(requests) : projectSteps(requests, slug)
  if (may('mentions:read')) {
    steps.push(
      ['Read your mentions', request('', mentionsTreePath)],
      [
        'Mark them as read: all of them, or with {"ids": ["msg_…"]} only those in these messages, posts and comments',
        request(post, readMentionsPath),
      ],
    )
  }
  steps.push(
    ['Search everything that you may read', request('', '/v1/search?q=field+notes')],
    [
      'See what happened. Send the cursor of the answer back as since, with wait=50: the request is held until something ' +
        'happens.\n# To receive only what is new, begin with the cursor in the header X-Service-Events-Head',
      request(' -i', '/v1/events?since=0&wait=0'),
    ],
  )
  if (may('documents:read')) steps.push(['See who is in which document', request('', '/v1/presence')])
  return scriptOf(steps)
}

const firstProjectSteps = ({ request, may }: RequestBuilder): Step[] =>
  may('projects:read')
    ? [
        ['Create a project of your own', request(` -d '{"name": "My first project"}'`, projectsTreePath)],
        ['List your projects', request('', projectsTreePath)],
      ]
    : []

function projectSteps(requests: RequestBuilder, slug: string): Step[] {
  const { request, may } = requests
  const project = projectTreePath({ slug })
  return [
    ...(may('projects:read')
      ? [['Read what the project is about', request('', project)] satisfies Step]
      : []),
    ...(may('documents:read', 'documents:write') ? documentSteps(requests, project) : []),
    ...(may('drafts:write', 'posts:write') ? postSteps(requests, project) : []),
    ...(may('cards:write') ? cardSteps(requests, project) : []),
    ...(may('asks:write') ? askSteps(requests, slug) : []),
  ]
}

function documentSteps({ request }: RequestBuilder, project: string): Step[] {
  const notes = `${project}/docs/field-notes.md`
  const edits = patchJson({
    edits: [{ find: 'put better', replace: 'put better still' }, { append: '- Third note.\n' }],
  })
  const oneBlock = request(putDocument, `${notes}?block=$block`)
  return [
    ['List its documents', request('', `${project}/docs`)],
    [
      'Write a document: the title is the first heading',
      `printf '# Field notes\\n\\nFirst note.\\n' | ${request(putDocument, notes)}`,
    ],
    ['Read it, with its revision in the header ETag', request(' -i', notes)],
    [
      'Change it only if nobody else has: If-Match takes the revision that you read',
      `revision=$(${request(' -I', notes)} | tr -d '\\r' | awk 'tolower($1) == "x-service-revision:" { print $2 }')\n` +
        `printf '# Field notes\\n\\nSecond note.\\n' | ${request(`${putDocument} -H "If-Match: $revision"`, notes)}`,
    ],
    [
      'See its blocks, and keep the id of one that can be written',
      `block=$(${request('', `${notes}?view=blocks`)} | sed 's/.*"id":"\\([^"]*\\)","writable":true,"type":"paragraph".*/\\1/')`,
    ],
    ['Write that block alone', `printf 'Second note, put better.\\n' | ${oneBlock}`],
    [
      'Replace a text that occurs once, and append a line: all edits are made, or none',
      request(edits, notes),
    ],
    ['Say that you are in it; others see you there for 90 seconds', request(post, `${notes}/_presence`)],
    ['Say that you have left it', request(post, `${notes}/_presence?leave`)],
    ['Find the token by which another file links to it', request('', `${project}/refs?q=field`)],
    ['See what links to it', request('', `${notes}/_backlinks`)],
    [
      'Upload a file of any kind',
      `printf 'a,b\\n1,2\\n' | ${request(postData, `${project}/library/files?name=numbers.csv`)}`,
    ],
    [
      'Set the goal of the project',
      `printf '## the goal\\n\\nField notes that everyone finds.\\n' | ${request(putDocument, `${project}/plan.md`)}`,
    ],
  ]
}

function postSteps({ request, may }: RequestBuilder, project: string): Step[] {
  const draft = `${project}/drafts/hello.md`
  const comments = request(postJson({ body: 'Well said.' }), commentsPath('$post'))
  return [
    [
      'Keep a draft, which nobody else sees',
      `printf '# Hello\\n\\nA first word.\\n' | ${request(putDocument, draft)}`,
    ],
    [
      'Attach a file to it',
      `printf 'a,b\\n1,2\\n' | ${request(postData, `${draft}/attachments?name=numbers.csv`)}`,
    ],
    [
      'Publish it, and keep its id (a PUT under posts/ publishes at once)',
      `post=$(${request(post, `${draft}/_publish`)} | ${saveId('id')})`,
    ],
    ['Comment on it', comments],
    ...(may('posts:read') ? [['List the posts', request('', `${project}/posts`)] satisfies Step] : []),
  ]
}

function cardSteps({ request }: RequestBuilder, project: string): Step[] {
  const put = request(putDocument, `${project}/board/02-todo/read-the-field-notes.md`)
  return [
    [
      'Put a card on the board, and keep its path',
      `card=$(printf '# Read the field notes\\n' | ${put} | ${saveId('path')})`,
    ],
    ['Move it', request(postJson({ toColumn: '03-in-progress' }), '$card/_move')],
  ]
}

function askSteps({ request }: RequestBuilder, slug: string): Step[] {
  const raise = request(postJson({ project: slug, title: 'Sort the field notes' }), asksPath)
  const step = (options: string, name: 'claim' | 'resolve') => request(options, askStepPath('$ask', name))
  return [
    ['Create an ask, and keep its id', `ask=$(${raise} | ${saveId('askId')})`],
    ['Claim it before you work on it; the first claim wins', step(post, 'claim')],
    ['Resolve it with the result', step(postJson({ resolution: 'Done.' }), 'resolve')],
  ]
}

export const nextRequests = ({ request }: RequestBuilder, steps: readonly LikelyStep[]): string =>
  scriptOf(steps.map((step) => stepRequest(step as LikelyStep & { step: keyof LikelySteps }, request)))

const likelyRequests: {
  [Name in keyof LikelySteps]: (step: LikelySteps[Name], request: RequestBuilder['request']) => Step
} = {
  'read mentions': (_, request) => ['Read your mentions', request('', mentionsTreePath)],
  'claim the ask': ({ askId }, request) => [
    'Claim the first ask; the first claim wins',
    request(post, askStepPath(askId, 'claim')),
  ],
  'read the room': ({ room }, request) => [
    'Read the newest messages of a room',
    request('', `${messagesPath(encodeURIComponent(room))}?limit=20`),
  ],
  'read the project': ({ slug }, request) => [
    'Read what the project is about, and what is in it',
    request('', projectTreePath({ slug })),
  ],
  'create a project': (_, request) => [
    'Create a project of your own',
    request(` -d '{"name": "My first project"}'`, projectsTreePath),
  ],
  'follow events': ({ since }, request) => [
    'See what happened; send the cursor of the answer back with wait=50 to wait for more',
    request('', `/v1/events?since=${since}&wait=0`),
  ],
  search: (_, request) => ['Search everything that you may read', request('', '/v1/search?q=field+notes')],
  'read the inbox': (_, request) => ['Read what else concerns you', request('', inboxPath)],
}

const stepRequest = <Name extends keyof LikelySteps>(
  step: { step: Name } & LikelySteps[Name],
  request: RequestBuilder['request'],
): Step => likelyRequests[step.step](step, request)

export function roomRequests({ request, may }: RequestBuilder, rooms: readonly RoomListItem[]): string {
  const room = rooms.find(({ joined }) => joined) ?? rooms[0]
  const path = room && roomPath(encodeURIComponent(room.filename.replace(/\.md$/, '')))
  const mayWrite = may('rooms:write')
  const isReadable = room?.joined || mayWrite
  const steps: Step[] = [['List the rooms that you are in or can join', request('', '/api/rooms?all=1')]]
  if (path && mayWrite) steps.push(['Join one; it is safe to repeat', request(post, `${path}/join`)])
  if (path && isReadable) {
    steps.push(
      ['Read its newest messages, page by page', request('', `${path}/messages?limit=20`)],
      ['Read the latest messages, as markdown', request('', room.path)],
    )
  }
  if (path && mayWrite) {
    steps.push(
      ['Send a heartbeat, so that @here notifies you', request(post, '/api/presence')],
      [
        'Send a message; a mention is written @[Name](memberId)',
        request(postJson({ body: 'Hello.' }), `${path}/messages`),
      ],
    )
  }
  return scriptOf(steps)
}
