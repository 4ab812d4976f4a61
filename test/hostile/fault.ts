import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findDifferences } from '../../core/doctor/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { programModule } from '../../data/program.ts'
import { type HttpResponse, request } from '../support/http-client.ts'
import { type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { AcknowledgedWrites } from './acknowledged-writes.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { type FaultyCalls, faultyCalls, faultyErrors } from './faulty-calls.ts'

const general = '/v1/fs/projects/general'
const diskMb = 48
/** How long a response may take on a busy machine. */
const answerMs = 20_000
/** How soon after a fault the server must report that all is well. */
const wellAfterMs = 75_000
const writesInFault = 12

export const fault: Campaign = {
  name: 'fault',
  about: 'a small disk is full, fails, turns read-only, and files run out: what was answered is kept',
  minutes: 5,
  async attack(run) {
    const disk = smallDisk(run.folder, diskMb)
    run.figure('a disk of its own', disk ? `ext4, ${diskMb} MB` : 'none: permission denied mount')
    const root = disk?.root ?? join(run.folder, 'disk')
    if (!disk) mkdirSync(root, { recursive: true })
    const home = join(root, 'home')
    const calls = faultyCalls(run.folder, home)
    run.figure('failing calls', calls ? faultyErrors.join(', ') : 'none: there is no C compiler')
    const { key } = await createWorkspace({ home, name: 'Fault', owner: 'Ada' })
    const scenario = new FaultScenario({ run, home, key, disk, calls })
    try {
      await scenario.start()
      while (!run.isOver()) await scenario.round()
    } finally {
      calls?.mend()
      await scenario.stop('SIGKILL')
      disk?.close()
    }
  },
}

interface ServerUnderFaultDeps {
  run: CampaignRun
  home: string
  key: string
  disk: SmallDisk | null
  calls: FaultyCalls | null
}

interface Fault {
  name: string
  begin(): void
  /** Whether connections may fail, too. */
  losesConnections: boolean
  /** Whether every write fails while it lasts, not only some. */
  isTotal: boolean
  end(): Promise<void>
}

class FaultScenario {
  private readonly acknowledged = new AcknowledgedWrites()
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 })
  private child: ChildProcess | null = null
  private url = ''
  private count = 0
  private refused = 0
  private accepted = 0
  private readonly rounds = new Map<string, number>()

  constructor(private readonly deps: ServerUnderFaultDeps) {}

  async start(): Promise<void> {
    const { calls, home, run } = this.deps
    const log = openSync(join(run.folder, 'server.log'), 'a')
    const program = fileURLToPath(programModule('bin/workroom.ts'))
    this.child = spawn(process.execPath, [program, 'serve', '--home', home, '--port', '0'], {
      env: { ...process.env, ...calls?.environment, WORKROOM_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', log],
    })
    const { child } = this
    // If the campaign is interrupted, a running server would keep the disk open for ever.
    const end = () => void child.kill('SIGKILL')
    process.prependListener('exit', end)
    child.once('exit', () => process.off('exit', end))
    let printed = ''
    for await (const text of child.stdout!.setEncoding('utf8')) {
      printed += text
      const url = /^listening on (\S+)\n/m.exec(printed)?.[1]
      if (url) {
        this.url = url
        child.stdout!.resume()
        return
      }
    }
    throw new Error(`The server did not start: ${printed} ${this.logEnd()}`)
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child } = this
    this.child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  async round(): Promise<void> {
    const { run } = this.deps
    for (let n = 0; n < 3; n++) await this.write('before')
    const fault = run.pick(this.faults())
    this.rounds.set(fault.name, (this.rounds.get(fault.name) ?? 0) + 1)
    fault.begin()
    try {
      await this.writeDuring(fault)
    } finally {
      await fault.end()
    }
    run.tried()
    await this.recover(fault)
    await this.compare(fault.name)
    if (run.below(4) === 0) await this.restart(fault)
    if (run.below(3) === 0) await this.findDifferences(fault.name)
    run.figure('rounds', [...this.rounds].map(([name, count]) => `${name} ${count}`).join(', '))
    run.figure('writes', `${this.accepted} answered, ${this.refused} refused`)
  }

  private faults(): Fault[] {
    const { calls, disk, run } = this.deps
    const faults: Fault[] = [this.filesRunOut()]
    if (disk) {
      faults.push({
        name: 'disk full',
        begin: () => disk.fill(run.pick([0, 0, 4096, 65_536])),
        losesConnections: false,
        isTotal: false,
        end: async () => disk.free(),
      })
      faults.push(this.readOnly(disk))
    }
    if (calls) {
      const error = run.pick(faultyErrors)
      const permille = run.pick([1000, 1000, 300, 50])
      faults.push({
        name: `${error}${permille < 1000 ? ' now and then' : ''}`,
        begin: () => calls.fail(error, permille),
        losesConnections: false,
        isTotal: permille === 1000,
        end: async () => calls.mend(),
      })
    }
    return faults
  }

  private filesRunOut(): Fault {
    const { run } = this.deps
    const pid = String(this.child!.pid)
    const limit = (files: number) =>
      execFileSync('prlimit', ['--pid', pid, `--nofile=${files}:`], { stdio: 'pipe' })
    return {
      name: 'EMFILE',
      begin: () => limit(readdirSync(`/proc/${pid}/fd`).length + run.below(3)),
      losesConnections: true,
      isTotal: false,
      end: async () => void limit(4096),
    }
  }

  private readOnly(disk: SmallDisk): Fault {
    return {
      name: 'read-only',
      begin: () => disk.abort(),
      losesConnections: false,
      isTotal: true,
      end: async () => {
        // The kernel allows no writes until the disk is mounted again.
        await this.stop('SIGKILL')
        await disk.remount()
        await this.start()
      },
    }
  }

  private async writeDuring(fault: Fault): Promise<void> {
    const { run } = this.deps
    let isRefused = false
    for (let n = 0; n < writesInFault; n++) {
      const response = await this.write(fault.name, fault)
      if (response && response.status === 503) {
        isRefused = true
        await this.checkHealth(fault)
      }
      if (run.below(3) === 0) await this.read(fault)
    }
    if (fault.isTotal && !isRefused) run.failed(`${fault.name}: no write was refused`)
  }

  /** Checks `/healthz` right after a write that the disk refused. */
  private async checkHealth(fault: Fault): Promise<void> {
    const health = await this.send('GET', '/healthz', undefined, fault)
    // A disk that fails only at times may have worked since.
    if (!health || !fault.isTotal) return
    if (health.status !== 503 || !(health.json.problems.length > 0)) {
      this.deps.run.failed(
        `${fault.name}: a write was refused, and /healthz is ${health.status} ${health.text}`,
      )
    }
  }

  private async read(fault: Fault): Promise<void> {
    const path = this.deps.run.pick(['welcome.md', ...this.acknowledged.paths])
    const response = await this.send('GET', `${general}/docs/${path}`, undefined, fault)
    if (response && ![200, 404, 503].includes(response.status)) {
      this.deps.run.failed(`${fault.name}: GET ${path} is ${response.status} ${response.text}`)
    }
  }

  /** Makes a write of a random kind. @returns its response; null if there was none */
  private async write(when: string, fault: Fault | null = null): Promise<HttpResponse | null> {
    const { run } = this.deps
    const paths = this.acknowledged.paths
    const kind = run.pick(['new', 'new', 'again', 'again', 'delete', 'message'] as const)
    const number = ++this.count
    if (kind === 'message') {
      const body = `Message ${number}`
      const response = await this.send('POST', '/api/rooms/general/messages', { body }, fault)
      await this.recordResponse(when, response, [201], () => this.acknowledged.acknowledgeMessage(body))
      return response
    }
    if (kind === 'delete' && paths.length > 3) {
      const path = run.pick(paths)
      const response = await this.send('DELETE', `${general}/docs/${path}`, undefined, fault)
      if (!response) this.acknowledged.recordUnanswered(path, null)
      await this.recordResponse(when, response, [200], () => this.acknowledged.acknowledge(path, null))
      if (response && response.status !== 200)
        this.acknowledged.recordRefusal(path, `DELETE: ${response.text}`)
      return response
    }
    const path = kind === 'again' && paths.length > 0 ? run.pick(paths) : `doc-${number}.md`
    const filler = run.pick([20, 200, 2000, 40_000])
    const text = `# ${path.replace('.md', '').replace('-', ' ')}\n\n${`Take ${number}. `.repeat(filler / 10)}\n`
    const response = await this.send('PUT', `${general}/docs/${path}`, text, fault)
    if (!response) this.acknowledged.recordUnanswered(path, text)
    await this.recordResponse(when, response, [201], () => this.acknowledged.acknowledge(path, text))
    if (response && response.status !== 201)
      this.acknowledged.recordRefusal(path, `PUT of ${number}: ${response.text}`)
    return response
  }

  private async recordResponse(
    when: string,
    response: HttpResponse | null,
    expected: number[],
    onAccepted: () => void,
  ): Promise<void> {
    if (!response) return
    if (expected.includes(response.status)) {
      this.accepted += 1
      onAccepted()
      return
    }
    this.refused += 1
    const message: string = response.json?.message ?? response.json?.error ?? ''
    const isExplained = response.status === 503 && message !== '' && !message.includes('Something went wrong')
    if (!isExplained || when === 'before' || when === 'after') {
      const failure = `${when}: a write was answered ${response.status} ${response.text.slice(0, 300)}`
      this.deps.run.failed(`${failure} ${await this.logOf(response)}`)
    }
  }

  /** The line in the log about a response with status 500. */
  private async logOf({ status, headers }: HttpResponse): Promise<string> {
    if (status !== 500) return ''
    const lineOf = () =>
      this.log()
        .split('\n')
        .find((line) => line.includes(String(headers['x-request-id'])) && line.includes('stack'))
    // Lines are written about once a second.
    for (let tries = 0; tries < 30 && lineOf() === undefined; tries++) await pause(100)
    return lineOf() ?? ''
  }

  /** @returns null without a response, which some faults allow */
  private async send(
    method: string,
    path: string,
    body: unknown,
    fault: Fault | null = null,
  ): Promise<HttpResponse | null> {
    const { key, run } = this.deps
    const signal = AbortSignal.timeout(answerMs)
    try {
      return await request(this.url, method, path, {
        key,
        agent: this.agent,
        signal,
        ...(body !== undefined && { body }),
      })
    } catch (error) {
      if (this.child!.exitCode !== null || this.child!.signalCode !== null) {
        throw new Error(`${fault?.name}: the server has ended: ${this.logEnd()}`, { cause: error })
      }
      if (!fault?.losesConnections)
        run.failed(`${fault?.name}: ${method} ${path} had no answer: ${String(error)}`)
      return null
    }
  }

  /** Checks that the next write works, and that `/healthz` soon reports that all is well. */
  private async recover(fault: Fault): Promise<void> {
    const { run } = this.deps
    this.agent.destroy()
    await this.write('after')
    const endMs = performance.now() + wellAfterMs
    for (;;) {
      const health = await this.send('GET', '/healthz', undefined)
      if (health?.status === 200) return
      if (performance.now() > endMs) {
        run.failed(`${fault.name} is over, and /healthz is ${health?.status} ${health?.text}`)
        return
      }
      await pause(200)
    }
  }

  private async compare(when: string): Promise<void> {
    const texts = new Map<string, string>()
    const list = (await this.send('GET', `${general}/docs`, undefined))!.json.documents as {
      filename: string
    }[]
    for (const { filename } of list.filter(({ filename }) => filename !== 'welcome.md')) {
      const { text } = (await this.send('GET', `${general}/docs/${filename}`, undefined))!
      texts.set(filename, text.replace(/^---\n[\s\S]*?\n---\n/, ''))
    }
    const messages = new Set<string>()
    for (let cursor = ''; ; ) {
      const page = (await this.send('GET', `/api/rooms/general/messages?limit=100${cursor}`, undefined))!.json
      for (const { body } of page.page) messages.add(body)
      if (page.isDone) break
      cursor = `&cursor=${page.continueCursor}`
    }
    for (const difference of this.acknowledged.differences(texts, messages)) {
      this.deps.run.failed(`${when}: ${difference}`)
    }
  }

  private async restart(fault: Fault): Promise<void> {
    await this.stop(this.deps.run.pick(['SIGTERM', 'SIGKILL']))
    await this.start()
    await this.compare(`${fault.name}, after a restart`)
  }

  private async findDifferences(when: string): Promise<void> {
    const { findings } = await findDifferences(this.deps.home)
    for (const { path, problem } of findings) this.deps.run.failed(`${when}: doctor says ${path}: ${problem}`)
  }

  private log(): string {
    return readFileSync(join(this.deps.run.folder, 'server.log'), 'utf8')
  }

  private logEnd(): string {
    return this.log().slice(-1200)
  }
}
