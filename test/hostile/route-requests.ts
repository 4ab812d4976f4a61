import type { Endpoint } from '../../server/endpoints.ts'
import { endpointsOfApp } from '../support/app-endpoints.ts'
import type { RequestOptions } from '../support/http-client.ts'
import type { CampaignRun } from './campaign.ts'
import type { World } from './secret-workspace.ts'

/** A request to an endpoint without credentials. */
export interface RouteRequest {
  endpoint: Endpoint
  method: string
  path: string
  options: RequestOptions
}

/** The requests of WebDAV, which are not among the routes. */
const mounted: Endpoint[] = [
  ...['PROPFIND', 'GET', 'PUT', 'DELETE', 'LOCK', 'UNLOCK', 'PROPPATCH', 'MOVE', 'COPY'].flatMap((method) =>
    [
      'README.md',
      'posts/:name',
      'drafts/grace/:name',
      'documents/:name',
      'board/:column/:name',
      'files/:name',
    ].map((place) => ({ method, path: `/dav/projects/:slug/${place}` })),
  ),
  ...['', '/:slug', '/:slug/posts', '/:slug/drafts', '/:slug/documents', '/:slug/board', '/:slug/skills'].map(
    (place) => ({ method: 'PROPFIND', path: `/dav/projects${place}` }),
  ),
  { method: 'MKCOL', path: '/dav/projects/:slug/documents/new' },
]

/** Draws requests to the routes that name existing things and are mostly valid. */
export class RouteRequests {
  readonly endpoints: readonly Endpoint[]
  /** The path of the webhooks that requests set. */
  agentPath = '/own'
  private readonly world: World
  private readonly run: CampaignRun

  constructor(world: World, run: CampaignRun) {
    this.world = world
    this.run = run
    this.endpoints = [...endpointsOfApp(world.workspace), ...mounted]
  }

  /** @param selfId the id of the member who will send it */
  draw(endpoint: Endpoint, selfId: string): RouteRequest {
    const { method } = endpoint
    const filled = this.fillPath(endpoint.path, selfId)
    const query = this.query(endpoint)
    const path = query === '' ? filled : `${filled}?${query}`
    const { destination, ...options } = this.contents(endpoint, selfId)
    const headers = {
      ...options.headers,
      ...(destination !== undefined && { Destination: `${this.world.url}${destination}` }),
    }
    return { endpoint, method, path, options: { ...options, headers } }
  }

  /** A known value of a parameter, at times of another one. */
  value(...parameters: string[]): string {
    const { names } = this.world
    if (this.run.below(40) === 0) return this.run.pick([...names.values()].flat())
    const known = parameters.map((one) => names.get(one)).find((values) => values !== undefined)
    return known ? this.run.pick(known) : 'x'
  }

  private fillPath(template: string, selfId: string): string {
    let folder = ''
    const filled = template.split('/').map((part) => {
      const [, parameter] = /^[:*](\w+)$/.exec(part) ?? []
      if (parameter === undefined) {
        if (part !== '') folder = part
        return part
      }
      const isDocument = folder === 'documents' || folder === 'docs' || folder === 'grace'
      const value =
        folder === 'members' && parameter === 'id'
          ? this.run.pick([selfId, this.value('memberId')])
          : parameter === 'path'
            ? 'SKILL.md'
            : this.value(
                `${folder === 'artifacts' ? 'files' : folder}/:${parameter}`,
                ...(isDocument ? ['docs/:name'] : []),
                parameter,
              )
      return this.encode(value, part.startsWith('*'))
    })
    return filled.join('/')
  }

  /** Encodes a value, at times in a hostile way. */
  private encode(value: string, isRest: boolean): string {
    const encoded = isRest ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)
    if (this.run.below(15) > 0) return encoded
    return this.run.pick([
      encoded.toUpperCase(),
      encoded.replace(/^./, (first) => `%${first.charCodeAt(0).toString(16)}`),
      `%2e%2e%2f${encoded}`,
      `${encoded}%00`,
      `../${encoded}`,
      encoded.replaceAll('-', '%2d'),
      encoded.slice(0, 8),
    ])
  }

  private query({ method, path }: Endpoint): string {
    const pick = (...choices: string[]) => this.run.pick(choices)
    const isFile = /\/(?:\*|:)name$/.test(path)
    if (path === '/v1/events') {
      const room = this.value('roomId')
      const about = pick(
        '',
        '&project=vault',
        `&doc=${this.value('docId')}`,
        `&touch=workspace,room:${room},document:${this.value('docId')},member:${this.value('memberId')}`,
      )
      return `since=0&wait=0&self=include&includeOwn=1${about}`
    }
    if (/search$|\/refs$|\/navigation\/names$/.test(path)) {
      const types = path.endsWith('/search') ? ['', '&project=vault', '&type=post', '&type=message'] : ['']
      return `q=${pick('see', 'tag', 'zq', 'skill', 'new', 'c:1')}${pick(...types)}`
    }
    if (method !== 'GET') return path.endsWith('attachments') || path.endsWith('files') ? 'name=x.txt' : ''
    if (path === '/api/rooms') return pick('', 'all=1')
    if (path.endsWith('/messages')) return pick('', 'limit=100', `thread=${this.value('messageId')}`)
    if (path === '/api/asks') return pick('', 'project=vault', 'state=open')
    if (path === '/v1/skills') return 'project=vault'
    if (path === '/v1/presence') return pick('', 'member=self', 'member=Grace')
    if (path.startsWith('/v1/fs') && isFile && !path.includes('files'))
      return pick('', '', 'view=blocks', 'view=outline')
    if (path === '/rooms/:room')
      return pick('', `at=${this.value('messageId')}`, `thread=${this.value('messageId')}`)
    return ''
  }

  private contents(
    { method, path }: Endpoint,
    selfId: string,
  ): { body?: unknown; headers?: Record<string, string>; destination?: string } {
    if (path.startsWith('/dav')) return this.mountContents(method)
    if (method === 'GET' || method === 'DELETE') return {}
    const body = this.body(`${method} ${path}`, selfId)
    if (typeof body !== 'string') return { body }
    const isForm = /^\/(?:signin|join|account|signout|unsubscribe)/.test(path)
    return {
      body,
      headers: { 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'text/markdown' },
    }
  }

  private mountContents(method: string) {
    const folder = this.run.pick(['posts', 'documents', 'board/02-todo', 'files', 'drafts/grace'])
    if (method === 'MOVE' || method === 'COPY') {
      return { destination: `/dav/projects/vault/${folder}/moved-${this.run.below(1000)}.md` }
    }
    if (method === 'PUT') return { body: '# Mounted\n\nText.\n' }
    return { headers: { Depth: this.run.pick(['0', '1']) } }
  }

  private body(route: string, selfId: string): unknown {
    const { run } = this
    const text = `said ${run.below(1_000_000)}`
    const markdown = `# Written ${run.below(1_000_000)}\n\n${text}\n`
    const scopes = run.pick([['*'], undefined, ['documents:read'], ['rooms:read', 'rooms:write']])
    const member = this.value('memberId')
    const cases: [pattern: RegExp, body: unknown][] = [
      [
        /\/rooms$/,
        { name: text, type: run.pick(['open', 'closed']), ...run.pick([{}, { projectId: 'vault' }]) },
      ],
      [/\/involvement$/, { involvement: run.pick(['everything', 'nothing']) }],
      [/rooms\/:roomId\/members$/, { memberId: run.pick([selfId, member]) }],
      [/\/messages(?:\/:messageId)?$/, { body: text }],
      [/\/read$/, route.includes('inbox') ? {} : { messageId: this.value('messageId') }],
      [/PATCH \/api\/rooms/, { name: text }],
      [/\/api\/presence$/, run.pick([{}, { roomId: this.value('roomId') }])],
      [/POST \/api\/members$/, { name: text, type: 'human', role: run.pick(['member', 'owner']) }],
      [/PATCH \/api\/members/, this.profile()],
      [/\/keys$/, { ...(scopes && { scopes }) }],
      [/PUT .*\/webhook$/, { url: `https://agents.example${this.agentPath}` }],
      [/\/api\/invites$/, { role: run.pick(['member', 'admin']), uses: 2 }],
      [
        /POST \/api\/asks$/,
        { project: 'vault', title: text, ...run.pick([{}, { roomId: this.value('roomId') }]) },
      ],
      [/\/resolve$/, run.pick([{ resolution: text }, { chosenOption: 'no' }])],
      [/\/assignees$/, { assignees: [member] }],
      [/PATCH \/api\/workspace$/, { name: 'Testers' }],
      [/PATCH \/v1\/projects/, run.pick([{ name: 'vault' }, { archived: false }])],
      [/\/v1\/(?:fs\/)?projects$/, { name: 'vault' }],
      [/projects\/:project\/members$/, { memberId: run.pick([selfId, member]) }],
      [/\/repositories$/, { dir: 'x', source: '/nowhere' }],
      [
        /POST \/v1\/posts$/,
        { projectId: 'vault', title: text, body: text, ...run.pick([{}, { isDraft: true }]) },
      ],
      [/projects\/:project\/posts$/, { title: text, body: text, ...run.pick([{}, { isDraft: true }]) }],
      [/\/comments$/, { body: text }],
      [/\/v1\/skills/, this.skill(route)],
      [/\/v1\/onboard$/, { invite: '0000-0000-0000', name: text }],
      [/\/_move$/, { toColumn: run.pick(['todo', 'done']) }],
      [/\/_restore$/, { revision: '0'.repeat(20) }],
      [
        /\/_presence$|\/_publish$|\/typing$|\/(?:join|leave|claim|release|cancel|rotate|redeliver|pin|unpin)$/,
        {},
      ],
      [/\/unreached$/, { room: this.value('roomId'), body: `@[Grace](${member})` }],
      [/\/signin/, 'key=wr_nothing'],
      [/links\.md$/, '- [x](https://example.org/)\n'],
    ]
    return cases.find(([pattern]) => pattern.test(route))?.[1] ?? markdown
  }

  private profile(): object {
    return this.run.pick([
      { statusText: 'at work' },
      { email: 'mallory@example.org' },
      { emailNotifications: false },
      { name: 'Mallory' },
      { role: 'owner' },
      { status: 'active' },
      { status: 'deactivated' },
    ])
  }

  private skill(route: string): object {
    const name = `own-${this.run.below(20)}`
    const expected = { project: 'vault', name, expectedVersion: 0, expectedDraftRevision: 0 }
    const files = { 'SKILL.md': `---\nname: ${name}\ndescription: x\n---\n` }
    return route.endsWith('publish') ? expected : { ...expected, files }
  }
}

/** Decodes a path; returns it unchanged if it cannot be decoded. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
