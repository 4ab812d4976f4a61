import type { Endpoint } from '../../server/endpoints.ts'
import type { HttpResponse, RequestOptions } from '../support/http-client.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { decoded, RouteRequests } from './route-requests.ts'
import { type Kind, kinds, openSecretWorkspace, type Person, type World } from './secret-workspace.ts'

/** Somebody who requests what they may not read. */
interface Outsider {
  who: string
  person: Person | null
  /** The kinds of secrets that must not be shown to them. */
  forbidden: readonly Kind[]
  /** Whether only their reading is tried, because they may change much, as an admin may. */
  reads: boolean
}

/** The number of tries between two checks that the vault is unchanged. */
const triesBetweenChecks = 250

export const stranger: Campaign = {
  name: 'stranger',
  about: 'outsiders try every route with others’ ids and paths: no secret is shown, nothing is changed',
  minutes: 10,
  async attack(run) {
    const world = await openSecretWorkspace(run)
    try {
      await new OutsiderAttack(run, world).run()
    } finally {
      await world.close()
    }
  },
}

class OutsiderAttack {
  private readonly campaign: CampaignRun
  private readonly world: World
  private readonly requests: RouteRequests
  private readonly strangers: Outsider[]
  private readonly sessions = new Map<string, { cookie: string; csrfToken: string }>()
  private readonly statuses = new Map<number, number>()

  constructor(run: CampaignRun, world: World) {
    this.campaign = run
    this.world = world
    this.requests = new RouteRequests(world, run)
    const { nobody, elsewhere, chief, left, linus } = world.people
    const outside = { forbidden: kinds, reads: false }
    this.strangers = [
      { who: 'no key', person: null, ...outside },
      { who: 'a person of no project', person: nobody, ...outside },
      { who: 'an agent elsewhere', person: elsewhere, ...outside },
      { who: 'one who was deactivated', person: left, ...outside },
      {
        who: 'an admin outside',
        person: chief,
        forbidden: kinds.filter((kind) => kind !== 'private'),
        reads: true,
      },
      { who: 'another member of the project', person: linus, forbidden: ['drafts', 'private'], reads: true },
    ]
  }

  async run(): Promise<void> {
    const { campaign } = this
    let before = await this.vault()
    for (let tries = 1; !campaign.isOver(); tries++) {
      await this.try(campaign.pick(this.strangers), campaign.pick(this.requests.endpoints))
      if (tries % triesBetweenChecks !== 0) continue
      const current = await this.vault()
      if (current !== before) campaign.failed(`The vault has changed:\n${before}\n${current}`)
      before = current
    }
    const counts = [...this.statuses].sort(([one], [other]) => one - other)
    campaign.figure('answers', counts.map(([status, count]) => `${count} × ${status}`).join(', '))
    campaign.figure('routes', String(this.requests.endpoints.length))
  }

  private async try(outsider: Outsider, endpoint: Endpoint): Promise<void> {
    const isReading = ['GET', 'PROPFIND'].includes(endpoint.method)
    if (outsider.reads && !isReading) return
    // Only one in a hundred creates something, so that the workspace does not grow without limit.
    if (
      /POST .*\/(?:projects|rooms)$/.test(`${endpoint.method} ${endpoint.path}`) &&
      this.campaign.below(100) > 0
    )
      return
    const request = this.requests.draw(endpoint, outsider.person?.id ?? '')
    const options = await this.as(outsider, request.options, endpoint)
    const response = await this.world.send(request.method, request.path, options)
    this.campaign.tried()
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1)
    const sent = `${request.path} ${decoded(request.path)} ${JSON.stringify(options)}`
    const shown = this.shownIn(outsider, response).filter((mark) => !sent.includes(mark))
    if (shown.length > 0) {
      this.campaign.failed(
        `${outsider.who} was shown ${shown.join(', ')} by ${request.method} ${request.path} (${response.status})`,
      )
    }
    if (response.status === 500) this.campaign.failed(`${request.method} ${request.path} answered 500`)
  }

  /** Adds credentials: a key, a password of the mount, or a browser's session. */
  private async as(outsider: Outsider, options: RequestOptions, { path }: Endpoint): Promise<RequestOptions> {
    if (outsider.person === null) return options
    const { id, key } = outsider.person
    const isPage = !/^\/(?:api|v1|dav|metrics)(?:\/|$)/.test(path)
    const session = isPage || this.campaign.below(3) === 0 ? await this.session(outsider.person) : null
    if (!session || path.startsWith('/dav')) {
      const password = `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`
      const isBasic = path.startsWith('/dav') && this.campaign.below(2) === 0
      return isBasic
        ? { ...options, headers: { ...options.headers, Authorization: password } }
        : { ...options, key }
    }
    return {
      ...options,
      headers: {
        Accept: 'text/html,application/json',
        ...options.headers,
        Cookie: session.cookie,
        Origin: this.world.url,
        'X-CSRF-Token': session.csrfToken,
      },
    }
  }

  /** The member's session, signed in again if it has ended; null if they cannot sign in. */
  private async session(person: Person) {
    const { sessions } = this.world.workspace.signin
    const known = this.sessions.get(person.id)
    if (known && sessions.find(known.cookie.split('=')[1]!)) return known
    const token = await sessions.signInByKey(person.key, { userAgent: 'Stranger/1', formerToken: null })
    if (token === null) return null
    const session = { cookie: `workroom_session=${token}`, csrfToken: sessions.find(token)!.csrfToken }
    this.sessions.set(person.id, session)
    return session
  }

  private shownIn({ forbidden }: Outsider, { headers, text }: HttpResponse): string[] {
    const all = `${text} ${JSON.stringify(headers)}`
    if (!all.includes('zq')) return []
    const marks = forbidden.flatMap((kind) => this.world.marks.get(kind)!)
    return marks.filter((mark) => all.includes(mark))
  }

  /** Everything in the vault as its owner reads it, as one text. */
  private async vault(): Promise<string> {
    const { people, send, names } = this.world
    const { owner, grace } = people
    const read = async (path: string, key = owner.key) => {
      const { json, text } = await send('GET', path, { key })
      return json === undefined ? text : JSON.stringify(json, withoutTimes)
    }
    const tree = '/v1/fs/projects/vault'
    const parts = [
      ...['posts', 'docs', 'board/02-todo', 'library/files', 'trash', 'skills', 'links.md', 'plan.md'].map(
        (place) => read(`${tree}/${place}`),
      ),
      read(`${tree}/drafts`, grace.key),
      read('/v1/projects/vault/members'),
      read('/api/asks?project=vault'),
      read(`/api/members/${grace.id}/keys`),
      ...names.get('roomId')!.map((room) => read(`/api/rooms/${room}/messages`)),
    ]
    return (await Promise.all(parts)).join('\n')
  }
}

/** Leaves out fields that change without a write. */
const withoutTimes = (name: string, value: unknown) =>
  ['lastUsedAt', 'downloadUrl', 'lastSeenAt'].includes(name) ? undefined : value
