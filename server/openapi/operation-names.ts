import type { Endpoint } from '../endpoints.ts'

/** Path parts that name an action; the parts before it name its object. */
const actions = new Set([
  'answer',
  'cancel',
  'claim',
  'join',
  'leave',
  'move',
  'onboard',
  'pin',
  'publish',
  'redeliver',
  'release',
  'resolve',
  'restore',
  'rotate',
  'unpin',
])

/** Where method and path make no good name. */
const exceptions = new Map([
  ['POST /api/inbox/read', 'markMentionsRead'],
  ['POST /api/presence', 'sendHeartbeat'],
  ['POST /api/rooms/:roomId/members', 'addRoomMember'],
  ['POST /api/rooms/:roomId/messages', 'postMessage'],
  ['PUT /api/rooms/:roomId/messages/:messageId', 'editMessage'],
  ['DELETE /api/rooms/:roomId/messages/:messageId', 'deleteMessage'],
  ['GET /api/rooms/:roomId/messages', 'listMessages'],
  ['PUT /api/rooms/:roomId/messages/:messageId/reactions/:emoji', 'addReaction'],
  ['DELETE /api/rooms/:roomId/messages/:messageId/reactions/:emoji', 'removeReaction'],
  ['PUT /api/rooms/:roomId/read', 'markRoomRead'],
  ['PUT /api/rooms/:roomId/unread', 'markRoomUnread'],
  ['POST /api/rooms/:roomId/typing', 'startTyping'],
  ['DELETE /api/rooms/:roomId/typing', 'stopTyping'],
  ['GET /v1/events', 'followEvents'],
  ['GET /v1/inbox', 'listInbox'],
  ['POST /v1/inbox/read', 'markInboxRead'],
  ['GET /v1/presence', 'listPresence'],
  ['POST /v1/projects/:project/members', 'addProjectMember'],
  ['DELETE /v1/projects/:project/members/:memberId', 'removeProjectMember'],
  ['POST /v1/projects/:project/posts', 'createProjectPost'],
  ['GET /v1/search', 'search'],
  ['POST /v1/wakes/take', 'takeWakes'],
  ['POST /v1/skills', 'saveSkill'],
  ['GET /v1/fs', 'readTree'],
  ['GET /v1/fs/README.md', 'readTreeOrientation'],
  ['GET /v1/fs/me/api-key', 'readTreeIdentity'],
  ['GET /v1/fs/help', 'listTreeHelp'],
  ['GET /v1/fs/projects/:project/trash', 'listTreeTrash'],
])

const verbs = new Map([
  ['POST', 'create'],
  ['PUT', 'set'],
  ['PATCH', 'update'],
  ['DELETE', 'delete'],
])

const treeVerbs = new Map([
  ['POST', 'create'],
  ['PUT', 'write'],
  ['PATCH', 'edit'],
  ['DELETE', 'delete'],
])

/** Derived from method and path, such as `listRooms` and `claimAsk`, so that it is as stable as they are. */
export function operationName(endpoint: Endpoint): string {
  const exception = exceptions.get(`${endpoint.method} ${endpoint.path}`)
  if (exception !== undefined) return exception
  const isInTree = endpoint.path.startsWith('/v1/fs/')
  const parts = nounsOf(endpoint.path)
  const last = parts.at(-1)!
  const tree = isInTree ? 'Tree' : ''
  if (actions.has(last.word)) return last.word + tree + wordsOf(parts.slice(0, -1), true)
  const isList =
    endpoint.method === 'GET' && !last.isOne && isPlural(last.word) && !endpoint.path.endsWith('.md')
  if (isList) return `list${tree}${wordsOf(parts, false)}`
  const verb = (isInTree ? treeVerbs : verbs).get(endpoint.method) ?? (isInTree ? 'read' : 'get')
  return `${verb}${tree}${wordsOf(parts, endpoint.method === 'POST' || last.isOne)}`
}

interface Noun {
  word: string
  /** Whether the path continues with an id or name. */
  isOne: boolean
}

/** Names of tree files and folders whose path does not say what they are. */
const treeNouns: readonly [RegExp, string][] = [
  [/^\/board\/:column\/:name/, '/cards/:name'],
  [/^\/board\/:column/, '/columns/:column'],
  [/^\/library\/files/, '/files'],
  [/^\/library\/repositories\/:dir\/\*path/, '/repository/files/*path'],
  [/^\/library\/repositories/, '/repositories'],
  [/^\/skills\/:name\/\*path/, '/skill/files/*path'],
]

function nounsOf(path: string): Noun[] {
  const relative = path
    .replace(/^\/(?:api|v1\/fs|v1)/, '')
    .replace(/^\/projects\/:project\/(?!members|_restore)/, '/')
  const match = treeNouns.find(([pattern]) => pattern.test(relative))
  const [, ...parts] = (match ? relative.replace(...match) : relative).split('/')
  return parts.flatMap((part, index): Noun[] => {
    if (/^[:*]/.test(part)) return []
    const next = parts[index + 1]
    return [{ word: camelCase(part), isOne: next !== undefined && /^[:*]/.test(next) }]
  })
}

const camelCase = (part: string): string =>
  part
    .toLowerCase()
    .replace(/^_/, '')
    .replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/Md$/, '')

/** @param isOne whether the last noun is singular */
const wordsOf = (nouns: readonly Noun[], isOne: boolean): string =>
  nouns
    .map(({ word }, index) => (index < nouns.length - 1 || isOne ? singular(word) : word))
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')

const isPlural = (word: string): boolean => /[^us]s$/.test(word) && word !== 'settings'

const singular = (word: string): string => {
  if (word === 'settings' || word === 'docs') return word.replace(/^docs$/, 'doc')
  return word.replace(/ies$/, 'y').replace(/([^us])s$/, '$1')
}
