import { setTimeout as pause } from 'node:timers/promises'
import { agentScopes, type Scope } from '../../core/access/member.ts'
import type { Endpoint } from '../../server/endpoints.ts'
import type { HttpResponse } from '../support/http-client.ts'
import { type MailServer, openMailServer } from '../support/mail-server.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { type RequiredScopes, requiredScopes, shownByWriting } from './needed-scopes.ts'
import { decoded, type RouteRequest, RouteRequests } from './route-requests.ts'
import { type Kind, openSecretWorkspace, type Person, type World } from './secret-workspace.ts'

/** The number of requests of a key before the next one. */
const walkLength = 60
/** The project is filled again after this many walks, which delete and move. */
const walksBetweenFills = 8

/** The scopes that let a key read each kind of secret. */
const readBy: Partial<Record<Kind, readonly Scope[]>> = {
  rooms: ['rooms:read'],
  // A mention names its room, and so does the refusal to somebody who writes to a room they are not in.
  roomNames: ['rooms:read', 'rooms:write', 'mentions:read'],
  mentions: ['mentions:read', 'rooms:read', 'posts:read'],
  projects: ['projects:read'],
  // The README is both a document and a project's introduction.
  home: ['projects:read', 'documents:read'],
  posts: ['posts:read'],
  drafts: ['drafts:read'],
  documents: ['documents:read'],
  cards: ['cards:read'],
  asks: ['asks:read'],
}

export const scope: Campaign = {
  name: 'scope',
  about:
    'limited keys walk over all routes: nothing beyond their scopes succeeds, and no walk ends in more rights',
  minutes: 10,
  async attack(run) {
    const closers: (() => unknown)[] = []
    const mail = await openMailServer({ teardown: (close: () => unknown) => closers.push(close) } as never)
    const world = await openSecretWorkspace(run, { smtp: { ...mail.smtp, delaySeconds: 0 } })
    try {
      await new ScopeAttack(run, world, mail).run()
    } finally {
      await world.close()
      for (const close of closers) await close()
    }
  },
}

interface KeyUnderTest {
  person: Person
  key: string
  keyId: string
  scopes: readonly Scope[]
}

class ScopeAttack {
  private readonly campaign: CampaignRun
  private readonly world: World
  private readonly mail: MailServer
  private readonly requests: RouteRequests
  private readonly succeeded = new Map<string, number>()
  /** Secrets that the campaign itself has created. */
  private readonly known = new Set<string>()
  private walks = 0

  constructor(run: CampaignRun, world: World, mail: MailServer) {
    this.campaign = run
    this.world = world
    this.mail = mail
    this.requests = new RouteRequests(world, run)
  }

  async run(): Promise<void> {
    const { campaign, world } = this
    const { owner, grace, scout } = world.people
    for (; !campaign.isOver(); this.walks++) {
      if (this.walks % walksBetweenFills === walksBetweenFills - 1) await world.fill()
      await this.walk(campaign.pick([owner, grace, scout]))
    }
    campaign.figure('walks', String(this.walks))
    campaign.figure('routes', String(this.requests.endpoints.length))
    campaign.figure('routes that succeeded at least once', String(this.succeeded.size))
  }

  private async walk(person: Person): Promise<void> {
    const { campaign } = this
    const walker = await this.newWalker(person)
    this.requests.agentPath = `/own/${walker.keyId}`
    for (let step = 0; step < walkLength && !campaign.isOver(); step++) {
      await this.step(walker, campaign.pick(this.requests.endpoints))
    }
    await this.checkMember(walker)
    await this.checkCalls(walker)
    await this.world.workspace.stores.members.revokeKey(walker.keyId).catch(() => {})
  }

  /** A key with random scopes, but never all of them. */
  private async newWalker(person: Person): Promise<KeyUnderTest> {
    const { campaign, world } = this
    const maxScopes = campaign.pick([1, 1, 2, 3, 5, 8, agentScopes.length - 1])
    const scopes = new Set<Scope>()
    while (scopes.size < maxScopes) scopes.add(campaign.pick(agentScopes))
    const { id: keyId, key } = await world.workspace.stores.members.addKey(person.id, { scopes: [...scopes] })
    this.known.add(key)
    return { person, key, keyId, scopes: [...scopes] }
  }

  private async step(walker: KeyUnderTest, endpoint: Endpoint): Promise<void> {
    // Only one in a hundred creates something, so that the workspace does not grow without limit.
    if (
      /POST .*\/(?:projects|rooms)$/.test(`${endpoint.method} ${endpoint.path}`) &&
      this.campaign.below(100) > 0
    )
      return
    const request = this.requests.draw(endpoint, walker.person.id)
    const response = await this.world.send(request.method, request.path, {
      ...request.options,
      key: walker.key,
    })
    this.campaign.tried()
    this.judge(walker, request, response)
    this.judgeMarks(walker, request, response)
    await this.judgeSecrets(walker, request, response)
    if (response.status < 300 && !['GET', 'PROPFIND'].includes(request.method))
      await this.forgetMarks(request)
  }

  /** Forgets the marks of secrets that an allowed request has moved to another kind or sent itself. */
  private async forgetMarks({ method, path, endpoint }: RouteRequest): Promise<void> {
    const { marks } = this.world
    if (method === 'MOVE' || method === 'COPY' || endpoint.path.endsWith('/_publish'))
      await this.world.renew()
    const named = decoded(path)
    if (!named.includes('zq')) return
    for (const [kind, words] of marks) {
      marks.set(
        kind,
        words.filter((word) => !named.includes(word)),
      )
    }
  }

  /** A request outside the scopes must not succeed. */
  private judge({ person, scopes }: KeyUnderTest, request: RouteRequest, { status }: HttpResponse): void {
    const what = `${request.method} ${request.path} (${status}) with ${scopes.join(' ')}`
    if (status === 500) this.campaign.failed(`${what}: a fault`)
    if (status < 200 || status >= 300) return
    const route = `${request.method} ${request.endpoint.path}`
    this.succeeded.set(route, (this.succeeded.get(route) ?? 0) + 1)
    // A path in another spelling may be another route's.
    if (!/^[\w./:@?=&,*#~+-]*$/.test(request.path.replaceAll('%20', ''))) return
    const needed = requiredScopes(request, person.id)
    const missing = missingOf(needed, scopes)
    if (missing) this.campaign.failed(`${what} succeeded and needs ${missing}`)
  }

  /** A response must not show anything that the scopes do not let a key read. */
  private judgeMarks(
    { scopes }: KeyUnderTest,
    request: RouteRequest,
    { status, headers, text }: HttpResponse,
  ): void {
    const all = `${text} ${JSON.stringify(headers)}`
    if (!all.includes('zq')) return
    const sent = `${request.path} ${decoded(request.path)} ${JSON.stringify(request.options)}`
    for (const [kind, needed] of Object.entries(readBy) as [Kind, readonly Scope[]][]) {
      if (needed.some((one) => scopes.includes(one))) continue
      if (shownByWriting(request).some((one) => one === `${kind}:write` && scopes.includes(one))) continue
      const shown = this.world.marks.get(kind)!.find((mark) => all.includes(mark) && !sent.includes(mark))
      if (shown === undefined) continue
      this.campaign.failed(
        `${request.method} ${request.path} (${status}) with ${scopes.join(' ')} shows ${shown} of ${kind}`,
      )
    }
  }

  /** A limited key must not get a key, session, invite or link that may do more. */
  private async judgeSecrets(
    walker: KeyUnderTest,
    request: RouteRequest,
    response: HttpResponse,
  ): Promise<void> {
    const all = `${response.text} ${JSON.stringify(response.headers)}`
    const found = (pattern: RegExp) =>
      [...all.matchAll(pattern)].map(([secret]) => secret).filter((secret) => !this.known.has(secret))
    const call = `${request.method} ${request.path} with ${walker.scopes.join(' ')} of ${walker.person.name}`
    for (const key of found(/wr_[0-9A-Za-z]{43}/g)) {
      const me = await this.world.send('GET', '/v1/fs/me/api-key', { key })
      const scopes = /^scopes: (.*)$/m.exec(me.text)?.[1]?.split(' ') ?? []
      const isWithin =
        me.text.includes(walker.person.id) && scopes.every((one) => walker.scopes.includes(one as Scope))
      if (me.status === 200 && !isWithin)
        this.campaign.failed(`${call} brought a key that may do more: ${me.text}`)
    }
    for (const [what, pattern] of [
      ['a session', /workroom_session=[\w-]{43}/g],
      ['an invite', /"code":"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}"/g],
      ['a link to sign in', /\/signin\/[\w-]{43}/g],
      ['a link that ends mail', /\/unsubscribe\/mem_/g],
    ] as const) {
      if (found(pattern).length > 0) this.campaign.failed(`${call} brought ${what}`)
    }
    const isOwnWebhook = walker.person === this.world.people.scout && walker.scopes.includes('webhooks:write')
    if (!isOwnWebhook && found(/whs_[0-9A-Za-z]{43}/g).length > 0)
      this.campaign.failed(`${call} brought a signing secret`)
  }

  /** A walk must not have changed the member's name, status or mail address. */
  private async checkMember({ person, scopes }: KeyUnderTest): Promise<void> {
    const { members, workspace } = {
      members: this.world.workspace.stores.members,
      workspace: this.world.workspace,
    }
    const member = members.find(person.id)!
    const isSame = member.name === person.name && member.email !== 'mallory@example.org'
    if (!isSame || member.status !== 'active' || !member.emailNotifications)
      this.campaign.failed(
        `A walk with ${scopes.join(' ')} changed who ${person.name} is: ${JSON.stringify(member)}`,
      )
    workspace.signin.mail?.request('mallory@example.org', '')
    if (this.mail.mails.some(({ recipients }) => recipients.includes('mallory@example.org')))
      this.campaign.failed(`A walk with ${scopes.join(' ')} had mail sent elsewhere`)
  }

  /** A webhook that the key has set must not bring more than the key may read. */
  private async checkCalls({ person, keyId, scopes }: KeyUnderTest): Promise<void> {
    const { calls, people, send } = this.world
    if (person !== people.scout || !scopes.includes('webhooks:write')) return
    const path = `/own/${keyId}`
    const { json } = await send('GET', `/api/members/${person.id}/webhook`, { key: people.owner.key })
    if (new URL(json.url ?? 'https://none.example/').pathname !== path) return
    calls.length = 0
    const body = `@[Scout](${person.id}) spoken to`
    const room = 'general'
    await send('POST', `/api/rooms/${room}/members`, { key: people.owner.key, body: { memberId: person.id } })
    await send('POST', `/api/rooms/${room}/messages`, { key: people.owner.key, body: { body } })
    await send('PUT', '/v1/fs/projects/vault/posts/spoken.md', {
      key: people.owner.key,
      body: `# Spoken ${this.walks}\n\n${body}\n`,
    })
    await pause(150)
    for (const call of calls.filter((one) => one.path === path)) {
      const needed = call.body.includes('"room":') ? 'rooms:read' : 'posts:read'
      if (!scopes.includes(needed))
        this.campaign.failed(`A webhook set with ${scopes.join(' ')} was told what takes ${needed}`)
    }
  }
}

/** The scopes that a key lacks; null if none. */
function missingOf(need: RequiredScopes, scopes: readonly Scope[]): string | null {
  if (need === 'anybody') return null
  if (typeof need === 'string') return need
  const missing = need.filter((one) => !scopes.includes(one))
  return missing.length === 0 ? null : missing.join(' ')
}
