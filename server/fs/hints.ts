import type { Context } from '../context.ts'
import { isToolRequest } from '../tool-requests.ts'

const project = '/v1/fs/projects/[^/]+'

const writing = ['PUT', 'POST', 'PATCH']

interface Hint {
  pattern: RegExp
  methods?: readonly string[]
  hint: string
  /** For the MCP tools, where a tool does the same. */
  toolHint?: string
}

/** What to do instead of an impossible change. The first match counts. */
const hints: readonly Hint[] = [
  {
    pattern: wholePath(`${project}/(?:docs|library/documents|posts|drafts|board/[^/]+)/?`),
    methods: writing,
    hint: 'This is a folder: PUT a file in it, such as <folder>/new.md, with its title as the first heading. Its name follows the title.',
    toolHint: 'This is a folder: write a file in it, such as <folder>/new.md.',
  },
  {
    pattern: wholePath(
      `${project}/(?:docs|library/documents|posts|drafts|board/[^/]+|library/files|artifacts|skills)/?`,
    ),
    methods: ['DELETE'],
    hint: 'This is a folder: DELETE the files in it, one by one; GET lists them.',
    toolHint: 'This is a folder: delete the files in it, one by one; list names them.',
  },
  {
    pattern: wholePath(`${project}/board/?`),
    hint: 'Its four columns are fixed. Cards are files in them: PUT board/02-todo/new.md.',
    toolHint: 'Its four columns are fixed. Cards are files in them: write board/02-todo/new.md.',
  },
  {
    pattern: wholePath(`${project}/library/?`),
    hint: 'PUT library/documents/<file> writes a document, POST library/files?name=<name> uploads a file.',
  },
  {
    pattern: wholePath(`${project}/(?:posts|drafts)/[^/]+/attachments(?:/.*)?`),
    methods: writing,
    hint: 'A file is attached with POST to …/attachments, with ?name=.',
  },
  {
    pattern: wholePath(`${project}/(?:posts|drafts)/[^/]+/attachments/?`),
    methods: ['DELETE'],
    hint: 'This is a folder: DELETE …/attachments/<id> removes one file.',
  },
  {
    pattern: wholePath(`${project}/(?:library/files|artifacts)(?:/.*)?`),
    methods: writing,
    hint: 'A file is uploaded with POST to the folder, with ?name=, and replaced with PUT and If-Match.',
  },
  {
    pattern: wholePath(`${project}/(?:docs|library/documents|posts|drafts|board/[^/]+)/.*/?_restore`),
    hint: 'POST writes the revision again that {"revision"} names.',
  },
  {
    pattern: wholePath(`${project}/(?:docs|library/documents)/.*/?_move`),
    hint: 'POST moves the document to the folder that {"toFolder"} names, or to the path that {"to"} names.',
  },
  {
    pattern: wholePath(`${project}/board/[^/]+/[^/]+/_move`),
    hint: 'POST moves the card to the column that {"toColumn"} names.',
  },
  {
    pattern: wholePath(
      `${project}/(?:docs|library/documents|posts|drafts|board/[^/]+)/.+/_(?:revisions|links|backlinks)`,
    ),
    hint: 'It is generated from the files.',
  },
  {
    pattern: wholePath(`${project}/(?:docs|library/documents|posts|drafts|board/[^/]+)/.+`),
    methods: ['POST'],
    hint: 'PUT replaces the whole file, and with ?block=<id> one block of it; PATCH applies {"edits"}.',
  },
  {
    pattern: wholePath(`${project}/library/repositories/?`),
    hint: 'POST /v1/projects/<project>/repositories links a repository.',
  },
  {
    pattern: wholePath(`${project}/library/repositories/.+`),
    hint: 'A repository is changed at its source.',
  },
  { pattern: wholePath(`${project}/pulls(?:/.*)?`), hint: 'A pull request is changed at its forge.' },
  {
    pattern: wholePath(`${project}/skills(?:/.*)?`),
    hint: 'POST /v1/skills saves a draft of a skill.',
    toolHint: 'write with path skills/<name>/SKILL.md publishes a skill.',
  },
  {
    pattern: wholePath(`${project}/trash(?:/.*)?`),
    hint: 'POST trash/<id>/_restore restores an entry. Old entries are deleted automatically.',
  },
  {
    pattern: wholePath(`${project}/map\\.md`),
    hint: 'It is generated from the cards of kind question and the asks with options.',
  },
  {
    pattern: wholePath(`${project}/asks\\.md`),
    hint: 'POST /api/asks creates an ask; each ask lists its own requests.',
    toolHint: 'asks with action "raise" creates an ask.',
  },
  {
    pattern: wholePath(`${project}/(?:plan|links)\\.md`),
    hint: 'PUT sets its text; an empty body clears it.',
  },
  {
    pattern: wholePath(`${project}/?`),
    methods: ['DELETE', 'PATCH'],
    hint: 'PATCH /v1/projects/<project> with {"name"} or {"archived": true} renames or archives a project.',
  },
  {
    pattern: wholePath(`${project}/?`),
    hint: 'It is generated from the file README.md in it, which PUT and PATCH write. Documents are written under docs/.',
    toolHint:
      'It is generated from the file README.md in it, which write and edit change. Documents are written under docs/.',
  },
  { pattern: wholePath('/v1/fs/projects/?'), hint: 'POST with {"name"} creates a project.' },
  { pattern: wholePath('/v1/fs/rooms/?'), hint: 'POST /api/rooms creates a room.' },
  {
    pattern: wholePath('/v1/fs/rooms/[^/]+'),
    hint: 'POST /api/rooms/<room>/messages posts a message in the room.',
    toolHint: 'say with room posts a message in the room.',
  },
  {
    pattern: wholePath('/v1/fs/rooms/[^/]+/attachments(?:/[^/]+)?'),
    hint: 'POST /api/rooms/<room>/attachments uploads a file; DELETE /api/rooms/<room>/attachments/<id> deletes one.',
  },
  {
    pattern: wholePath('/v1/fs/inbox/mentions\\.md'),
    hint: 'POST /api/inbox/read marks mentions as read.',
    toolHint: 'inbox with markRead marks mentions as read.',
  },
]

function wholePath(path: string): RegExp {
  return new RegExp(`^${path}$`)
}

/** Returns a sentence with a leading space, or `''`. */
export function methodHint(method: string, path: string): string {
  const hint = hintFor(method, path)?.hint
  return hint === undefined ? '' : ` ${hint}`
}

const hintFor = (method: string, path: string): Hint | undefined =>
  hints.find((hint) => hint.pattern.test(path) && (hint.methods?.includes(method) ?? true))

const toolVerbs: Readonly<Record<string, string>> = {
  PUT: 'written',
  PATCH: 'edited',
  DELETE: 'deleted',
}

/** Explains why a method is refused and what to do instead. @param allowed the possible methods */
export function methodRefusal({ method, path, req }: Context, allowed: string): string {
  const verb = toolVerbs[method]
  if (!isToolRequest(req) || verb === undefined) {
    return `${method} is not allowed here, only ${allowed}.${methodHint(method, path)}`
  }
  const alternative = method === 'PATCH' && allowed.includes('PUT') ? ', only written as a whole' : ''
  return [`This cannot be ${verb}${alternative}.`, hintFor(method, path)?.toolHint ?? ''].join(' ').trim()
}

/** Folders whose names on the disk differ from those in the tree. */
const diskFolderNames = new Map([
  ['documents', 'docs'],
  ['files', 'library/files'],
])

/** Suggests what to request instead of an unknown path; null without an idea. */
export function pathHint(path: string): string | null {
  const [, base, folder = '', rest = ''] = /^(\/v1\/fs\/projects\/[^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? []
  const treeFolder = diskFolderNames.get(folder)
  if (treeFolder !== undefined) {
    return `On the disk the folder is named ${folder}, here it is ${treeFolder}: ${base}/${treeFolder}${rest}`
  }
  if (folder.toLowerCase() === 'readme.md') return `A project's home page is at ${base}/README.md`
  return folder === 'attachments' ? `Attachments are listed at ${base}/posts/<file>/attachments` : null
}
