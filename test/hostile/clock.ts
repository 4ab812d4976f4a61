import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { defaultConfig } from '../../core/config.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { databasePath } from '../../data/home.ts'
import { type RunningServer, startServer } from '../../server/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventually } from '../support/eventually.ts'
import { type HttpResponse, request } from '../support/http-client.ts'
import { processMarkdown } from '../support/shared-markdown.ts'
import { TestClock } from '../support/test-clock.ts'
import type { Campaign, CampaignRun } from './campaign.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const retentionMs = 30 * dayMs
const general = '/v1/fs/projects/general'

const jumps = [-365, -31, -2, 2, 31, 365, 3650]
  .map((days) => days * dayMs)
  .concat([-hourMs, hourMs, -5 * minuteMs])

export const clock: Campaign = {
  name: 'clock',
  about: 'the clock jumps by minutes to years, both ways: nothing goes too early, nothing waits for ever',
  minutes: 3,
  async attack(run) {
    const receiver = createServer((_request, response) => response.writeHead(scenario.receiverStatus).end())
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const scenario = new ClockScenario(run, receiver)
    try {
      await scenario.begin()
      while (!run.isOver()) await scenario.round()
      await scenario.finish()
    } finally {
      await scenario.close()
      receiver.close()
    }
  },
}

interface Deleted {
  id: string
  /** The value of `passedMs` at the deletion. */
  passedMs: number
  isRestored: boolean
}

interface Scheduled {
  title: string
  dueMs: number
  /** Whether the clock has ever passed the due time. */
  isDue: boolean
}

class ClockScenario {
  receiverStatus = 500
  private readonly run: CampaignRun
  private readonly receiver: Server
  private readonly clock = new TestClock()
  private readonly home: string
  private readonly agent = { memberId: '', room: '' }
  private server: RunningServer | null = null
  private key = ''
  private cookie = ''
  private hasSessionEnded = false
  private offsetMs = 0
  /** The time that has passed while the workspace was open. */
  private passedMs = 0
  private count = 0
  private cursor = 0
  private deleted: Deleted[] = []
  private scheduled: Scheduled[] = []

  constructor(run: CampaignRun, receiver: Server) {
    this.run = run
    this.receiver = receiver
    this.home = join(run.folder, 'home')
  }

  async begin(): Promise<void> {
    const { key } = await createWorkspace({ home: this.home, name: 'Clock', owner: 'Ada', clock: this.clock })
    this.key = key
    await this.start()
    const member = await this.expectStatus('POST', '/api/members', { name: 'Bot', type: 'agent' }, 201)
    this.agent.memberId = member.json.member._id ?? member.json.member.id
    const { port } = this.receiver.address() as AddressInfo
    await this.expectStatus(
      'PUT',
      `/api/members/${this.agent.memberId}/webhook`,
      { url: `http://127.0.0.1:${port}/` },
      200,
    )
    this.agent.room = (
      await this.expectStatus('POST', '/api/rooms', { name: 'Talk', type: 'open' }, 201)
    ).json._id
    await this.expectStatus(
      'POST',
      `/api/rooms/${this.agent.room}/members`,
      { memberId: this.agent.memberId },
      200,
    )
    await this.signIn()
  }

  async close(): Promise<void> {
    await this.server?.close()
    this.server = null
  }

  /** Sets the clock wrong for a while and right again. */
  async round(): Promise<void> {
    const { run } = this
    await this.act()
    for (let n = run.below(3); n >= 0; n--) {
      this.offset(run.pick(jumps))
      await this.act()
      this.pass(run.pick([minuteMs, hourMs, 3 * hourMs]))
      await this.act()
      if (run.below(5) === 0) await this.restart()
    }
    this.offset(0)
    this.pass(run.pick([minuteMs, hourMs, dayMs, 3 * dayMs]))
    if (run.below(4) === 0) await this.restart()
    await this.act()
    await this.checkTrash()
    await this.checkSession()
    await this.checkSchedule()
    if (run.below(3) === 0) await this.checkRetry()
    run.tried()
    run.figure('passed', `${Math.round(this.passedMs / dayMs)} days`)
    run.figure('deleted', String(this.count))
  }

  /** Lets the right clock run until everything old must be gone. */
  async finish(): Promise<void> {
    for (let day = 0; day < 35; day++) {
      this.pass(dayMs)
      await this.expectStatus('GET', `${general}/trash`, undefined, 200)
    }
    const isEmpty = async () => {
      this.pass(hourMs)
      return (await this.trash()).size === 0
    }
    // 30 days after the last jump, and once more for the time that the clock was ahead.
    await eventually(isEmpty, 60_000).catch(() =>
      this.run.failed('What was deleted 35 days ago is still in the trash'),
    )
  }

  /** Writes, deletes, schedules and sends as people do. */
  private async act(): Promise<void> {
    const { run } = this
    const title = `Doc ${++this.count}`
    const written = await this.expectStatus(
      'PUT',
      `${general}/docs/doc-${this.count}.md`,
      `# ${title}\n`,
      201,
    )
    if (run.below(2) === 0) {
      await this.expectStatus('DELETE', written.json.path, undefined, 200)
      this.deleted.push({ id: written.json.id, passedMs: this.passedMs, isRestored: false })
    }
    if (run.below(3) === 0) {
      const dueMs = this.clock.now() + run.pick([hourMs, dayMs])
      const at = new Date(dueMs).toISOString()
      const text = `---\nscheduledFor: ${at}\n---\n# Post ${this.count}\n`
      await this.expectStatus('PUT', `${general}/drafts/post-${this.count}.md`, text, 201)
      this.scheduled.push({ title: `Post ${this.count}`, dueMs, isDue: false })
    }
    await this.expectStatus('POST', '/api/rooms/general/messages', { body: `Message ${this.count}` }, 201)
    await this.checkEvents()
  }

  private async checkEvents(): Promise<void> {
    const { ticks, last } = this.log()
    if (last < this.cursor) this.run.failed(`The last cursor was ${this.cursor}, and is ${last}`)
    if (ticks.some((tick, at) => at > 0 && tick <= ticks[at - 1]!)) this.run.failed('Cursors do not rise')
    this.cursor = last
    const response = await this.expectStatus('GET', `/v1/events?since=${last / 1000}&wait=0`, undefined, 200)
    // A scheduled post may have been published meanwhile.
    const later = this.log().ticks.length
    if (response.json.events.length > later)
      this.run.failed(`After the last cursor came ${response.text.slice(0, 200)}`)
  }

  /** The ticks since the last check, and the last one of all. */
  private log(): { ticks: number[]; last: number } {
    const db = new Sqlite(databasePath(this.home), { readonly: true })
    const ticks = db
      .prepare<[number], number>('SELECT tick FROM events WHERE tick > ? ORDER BY rowid')
      .pluck()
      .all(this.cursor)
    const last = db.prepare<[], number>('SELECT last_tick FROM event_clock').pluck().get() ?? 0
    db.close()
    return { ticks, last }
  }

  private async trash(): Promise<Set<string>> {
    const { json } = await this.expectStatus('GET', `${general}/trash`, undefined, 200)
    return new Set(json.trash.map(({ id }: { id: string }) => id))
  }

  private async checkTrash(): Promise<void> {
    const listed = await this.trash()
    for (const document of this.deleted) {
      if (document.isRestored) continue
      const ageMs = this.passedMs - document.passedMs
      if (ageMs < retentionMs && !listed.has(document.id)) {
        this.run.failed(
          `${document.id} was deleted ${(ageMs / dayMs).toFixed(1)} days ago, and is not in the trash`,
        )
      }
    }
    const [id] = [...listed]
    if (id === undefined || this.run.below(3) > 0) return
    const restored = await this.request('POST', `${general}/trash/${id}/_restore`)
    if (restored.status !== 201) this.run.failed(`_restore is ${restored.status} ${restored.text}`)
    for (const document of this.deleted) if (document.id === id) document.isRestored = true
    // Documents whose time is over are not checked again.
    this.deleted = this.deleted.filter(({ passedMs }) => this.passedMs - passedMs < retentionMs)
  }

  private async signIn(): Promise<void> {
    const form = new URLSearchParams({ key: this.key })
    const response = await fetch(`${this.server!.url}/signin`, {
      method: 'POST',
      body: form,
      redirect: 'manual',
      headers: { Origin: this.server!.url },
    })
    this.cookie = (response.headers.get('set-cookie') ?? '').split(';', 1)[0]!
  }

  private async checkSession(): Promise<void> {
    if (this.hasSessionEnded) await this.signIn()
    this.hasSessionEnded = false
    const response = await fetch(`${this.server!.url}/v1/fs/me/api-key`, { headers: { Cookie: this.cookie } })
    if (response.status !== 200) {
      this.run.failed(`A session in use is ${response.status} after a jump`)
      await this.signIn()
    }
  }

  /** Checks that exactly the posts that the clock has passed are published. */
  private async checkSchedule(): Promise<void> {
    for (const post of [...this.scheduled]) {
      const isPublished = () => this.isPost(post)
      if (!post.isDue && isPublished()) this.run.failed(`${post.title} was published before its time`)
      if (!post.isDue) continue
      await eventually(isPublished, 10_000).catch(() =>
        this.run.failed(`${post.title} is due, and not published`),
      )
      this.scheduled = this.scheduled.filter((other) => other !== post)
    }
  }

  private isPost({ title }: Scheduled): boolean {
    const db = new Sqlite(databasePath(this.home), { readonly: true })
    const kind = db.prepare('SELECT kind FROM documents WHERE title = ?').pluck().get(title)
    db.close()
    return kind === 'post'
  }

  /** Checks that a delivery that failed while the clock was ahead is tried again within hours. */
  private async checkRetry(): Promise<void> {
    this.receiverStatus = 500
    this.offset(this.run.pick([dayMs, 365 * dayMs]))
    const body = `Hello @[Bot](${this.agent.memberId})`
    await this.expectStatus('POST', `/api/rooms/${this.agent.room}/messages`, { body }, 201)
    const newest = async () => {
      const path = `/api/members/${this.agent.memberId}/webhook/deliveries`
      return (await this.expectStatus('GET', path, undefined, 200)).json.deliveries[0]
    }
    await eventually(async () => (await newest())?.lastStatus === 500, 10_000)
    this.offset(0)
    this.receiverStatus = 204
    const endMs = this.passedMs + 6 * hourMs
    const isDelivered = async () => {
      if (this.passedMs < endMs) this.pass(20 * minuteMs)
      return (await newest()).state === 'delivered'
    }
    await eventually(isDelivered, 15_000).catch(() => this.run.failed('A call that failed is not made again'))
  }

  private offset(ms: number): void {
    this.clock.set(this.clock.now() + ms - this.offsetMs)
    this.offsetMs = ms
    this.noteDue()
  }

  private pass(ms: number): void {
    this.clock.advance(ms)
    this.passedMs += ms
    this.noteDue()
  }

  private noteDue(): void {
    for (const post of this.scheduled) post.isDue ||= post.dueMs <= this.clock.now()
  }

  private async start(): Promise<void> {
    this.server = await startServer({
      home: this.home,
      config: { ...defaultConfig, outbound: { allow: ['127.0.0.1'] } },
      port: 0,
      clock: this.clock,
      log: capturedLog(),
      faults: { markdown: processMarkdown() },
    })
  }

  /** Restarts the server. Time while it is closed does not count as passed. */
  private async restart(): Promise<void> {
    await this.close()
    const closedMs = this.run.pick([0, hourMs, 40 * dayMs])
    this.clock.set(this.clock.now() + closedMs)
    this.noteDue()
    await this.start()
    // A session that is unused for so long has ended.
    this.hasSessionEnded ||= closedMs > retentionMs
  }

  private request(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    return request(this.server!.url, method, path, { key: this.key, ...(body !== undefined && { body }) })
  }

  private async expectStatus(
    method: string,
    path: string,
    body: unknown,
    status: number,
  ): Promise<HttpResponse> {
    const response = await this.request(method, path, body)
    if (response.status !== status)
      this.run.failed(`${method} ${path} is ${response.status} ${response.text.slice(0, 300)}`)
    return response
  }
}
