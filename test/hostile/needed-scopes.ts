import type { Scope } from '../../core/access/member.ts'
import type { RouteRequest } from './route-requests.ts'

/** What a request needs to succeed: all of some scopes, an unlimited key, a browser's session, or nothing. */
export type RequiredScopes = readonly Scope[] | 'unlimited' | 'session' | 'anybody'

/** The kind of scope by folder of the tree and of the mount. */
const kindOf: Record<string, 'posts' | 'drafts' | 'documents' | 'cards'> = {
  posts: 'posts',
  drafts: 'drafts',
  docs: 'documents',
  documents: 'documents',
  files: 'documents',
  artifacts: 'documents',
  library: 'documents',
  board: 'cards',
}

const isReading = (method: string) => method === 'GET' || method === 'PROPFIND' || method === 'HEAD'

/** @param selfId the id of the key's member */
export function requiredScopes({ endpoint, path, options }: RouteRequest, selfId: string): RequiredScopes {
  const { method } = endpoint
  const route = endpoint.path
  if (route.startsWith('/dav')) return mountScopes(method, route)
  if (route.startsWith('/v1/fs')) return treeScopes(method, route.slice('/v1/fs'.length))
  if (route.startsWith('/api') || route.startsWith('/v1'))
    return jsonScopes(method, route, { path, options, selfId })
  if (route === '/metrics') return []
  return isPublic(method, route) ? 'anybody' : 'session'
}

const isPublic = (method: string, route: string) =>
  /^\/(?:healthz|assets|help|signin|join|download|unsubscribe)(?:\/|$)/.test(route) &&
  (method === 'GET' || route.startsWith('/unsubscribe'))

/** The scopes whose content the response to a write may show, such as the name of the written file. */
export function shownByWriting({ endpoint: { method, path } }: RouteRequest): Scope[] {
  if (isReading(method)) return []
  if (path.startsWith('/api/asks')) return ['asks:write']
  if (path.includes('/trash/')) return ['posts:write', 'drafts:write', 'documents:write', 'cards:write']
  const folder = path.split('/').find((part) => kindOf[part] !== undefined)
  return folder === undefined ? [] : [`${kindOf[folder]!}:write`]
}

function treeScopes(method: string, route: string): RequiredScopes {
  if (/^(?:\/README\.md|\/me\/api-key)?$/.test(route)) return []
  if (route === '/audit/usage.md') return 'unlimited'
  if (route === '/inbox/mentions.md') return ['mentions:read']
  if (route.startsWith('/rooms')) return ['rooms:read']
  const [, , , folder = '', second = ''] = route.split('/')
  if (folder === '' || folder === 'pulls' || folder === 'skills') return ['projects:read']
  if (folder === 'library' && second === 'repositories') return ['projects:read']
  if (folder === 'links.md') return [method === 'GET' ? 'projects:read' : 'documents:write']
  if (folder === 'plan.md') return [method === 'GET' ? 'documents:read' : 'documents:write']
  if (folder === 'asks.md') return ['asks:read']
  if (folder === 'map.md' || folder === 'refs') return []
  if (folder === 'trash') return method === 'GET' ? ['documents:read'] : []
  if (route.endsWith('/_publish')) return ['drafts:write', 'posts:write']
  if (route.endsWith('/_presence')) return ['documents:read']
  return [`${kindOf[folder]!}:${isReading(method) ? 'read' : 'write'}`]
}

function mountScopes(method: string, route: string): RequiredScopes {
  const [, , , , folder = ''] = route.split('/')
  const kind = kindOf[folder]
  // A folder lists only what may be read; the marks of secrets check that.
  if (kind === undefined || method === 'PROPFIND' || method === 'UNLOCK') return []
  if (method === 'COPY') return [`${kind}:read`]
  return [`${kind}:${isReading(method) ? 'read' : 'write'}`]
}

function jsonScopes(
  method: string,
  route: string,
  { path, options, selfId }: Pick<RouteRequest, 'path' | 'options'> & { selfId: string },
): RequiredScopes {
  const body = (options.body ?? {}) as Record<string, unknown>
  const isSelf = path.includes(`/members/${selfId}`)
  if (route.startsWith('/api/asks')) {
    if (method === 'GET') return ['asks:read']
    return body.roomId === undefined ? ['asks:write'] : ['asks:write', 'rooms:write']
  }
  if (route === '/api/inbox/read') return ['mentions:read']
  if (route.startsWith('/api/invites') || route.endsWith('/keys') || route.includes('/keys/'))
    return 'unlimited'
  if (route.includes('/webhook')) return isSelf ? ['webhooks:write'] : 'unlimited'
  if (route.startsWith('/api/members')) return memberScopes(method, body, isSelf)
  if (route === '/api/workspace') return method === 'GET' ? [] : 'unlimited'
  if (route.startsWith('/api/rooms') || route === '/api/presence') {
    if (method === 'PATCH') return ['rooms:read', 'rooms:write']
    return [method === 'GET' || route.endsWith('/read') ? 'rooms:read' : 'rooms:write']
  }
  if (route === '/v1/presence') return ['documents:read']
  if (route.startsWith('/v1/wakes')) return ['webhooks:write']
  if (route.startsWith('/v1/skills')) return [method === 'GET' ? 'projects:read' : 'documents:write']
  if (route.endsWith('/posts') || /^\/v1\/posts/.test(route)) return postScopes(method, route, body)
  if (route.startsWith('/v1/projects')) return projectScopes(method, route, isSelf)
  return []
}

function memberScopes(method: string, body: Record<string, unknown>, isSelf: boolean): RequiredScopes {
  if (method === 'GET') return []
  const isDescriptionOnly = ['name', 'email', 'emailNotifications', 'role', 'status'].every(
    (field) => !(field in body),
  )
  return isSelf && isDescriptionOnly ? [] : 'unlimited'
}

function postScopes(method: string, route: string, body: Record<string, unknown>): RequiredScopes {
  if (route.includes('/comments') || route.endsWith('pin'))
    return [method === 'GET' ? 'posts:read' : 'posts:write']
  // The id may be a draft's; then the marks of secrets check it.
  if (method === 'GET') return route === '/v1/posts/:postId' ? [] : ['posts:read']
  return [body.isDraft === true ? 'drafts:write' : 'posts:write']
}

function projectScopes(method: string, route: string, isSelf: boolean): RequiredScopes {
  const isForMembers =
    route === '/v1/projects' || (method === 'DELETE' && isSelf && route.includes('/members/'))
  return method === 'GET' || isForMembers ? ['projects:read'] : 'unlimited'
}
