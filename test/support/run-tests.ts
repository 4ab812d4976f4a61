import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { programFile } from '../../data/program.ts'
import { inSources } from './in-sources.ts'
import Reporter from './reporter.ts'
import type { TestOrder, TestReport } from './test-process.ts'

/**
 * Runs every test file that has been built, by plain node, so that what is tested is what is shipped. A few processes take
 * one file after the other: to load the program and to warm it up costs more than most files do. Lint and types are
 * checked beside them. With names behind `npm test --`, only files are run whose path holds one of them.
 */

/** How long one file may take, also on a machine that others keep busy. */
const longestMs = 240_000

/** The scripts of the package that look at the sources. */
const checks = ['types', 'lint']

/** Long files first: the last one to end is then a short one. */
const longFirst = [
  'sigkill',
  'every-page',
  'service',
  'flood',
  'browser/editor',
  'browser/care',
  'browser/rooms',
  'browser/board',
  'browser/finder',
  'events-soak',
  'serve',
  'events-model',
  'moments',
  'backup',
]

/** These stand in for parts of Node, or measure the memory of their process. */
const alone = [
  'core/previews/visit',
  'core/webhooks/attempt',
  'data/outbound/answers',
  'server/fs/pulls',
  'server/v1/events-soak',
]

const tests = fileURLToPath(programFile('test/'))
const names = process.argv.slice(2)

interface Outcome {
  name: string
  isOk: boolean
  /** TAP, in front of the line that says how it went: the tests of a file. */
  subtest: string
  /** What else there is to say, by its kind. */
  diagnosis: Record<string, string>
}

function testFiles(): string[] {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.js') && (names.length === 0 || names.some((name) => file.includes(name))),
  )
  const rank = (file: string) => longFirst.findIndex((name) => isNamed(file, name)) >>> 0
  return files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

const isNamed = (file: string, name: string) => `/${file}`.endsWith(`/${name}.test.js`)

interface TestProcess {
  child: ChildProcess
  /** Resolves when it has. */
  ended: Promise<null>
}

/** One of the processes that run test files. It is started with its first file, and anew when it has ended. */
class Lane {
  private process: TestProcess | null = null
  private hear: (report: TestReport) => void = () => {}

  async run(file: string): Promise<Outcome> {
    const isAlone = alone.some((name) => isNamed(file, name))
    if (isAlone) await this.end()
    const report = await this.reportOf(file)
    const { isOk, tap, leftOpen } = report ?? { isOk: false, tap: '', leftOpen: [] }
    if (!isOk) this.drop()
    else if (isAlone) await this.end()
    const words = tap.replace(/^TAP version .*\n/, '').replace(/^(?=.)/gm, '    ')
    return {
      name: file,
      isOk,
      subtest: `# Subtest: ${file}\n${isOk ? words : inSources(words)}`,
      diagnosis: {
        ...(report === null && { ended: 'Its process ended before it, or was ended for taking too long' }),
        ...(leftOpen.length > 0 && { leftOpen: leftOpen.join(', ') }),
      },
    }
  }

  /** Ends the process, which has nothing left to do. @throws where something keeps it from ending */
  async end(): Promise<void> {
    if (!this.process) return
    const { child, ended } = this.process
    this.process = null
    child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(timer)
    if (child.exitCode !== 0) throw new Error('A process of tests did not end by itself')
  }

  /** Lets go of a process in which a file has failed: who knows what that has left. */
  private drop(): void {
    this.process?.child.kill('SIGKILL')
    this.process = null
  }

  /** What the process answers, or null where it ended. */
  private async reportOf(file: string): Promise<TestReport | null> {
    const { child, ended } = this.process ?? this.start()
    const timer = setTimeout(() => child.kill('SIGKILL'), longestMs + 20_000)
    const order: TestOrder = { file, timeoutMs: longestMs }
    const reported = new Promise<TestReport>((resolve) => {
      this.hear = resolve
    })
    child.send(order)
    const report = await Promise.race([reported, ended])
    clearTimeout(timer)
    return report
  }

  private start(): TestProcess {
    const child = fork(join(tests, 'support/test-process.js'), {
      stdio: ['ignore', 2, 2, 'ipc'],
      // The time of each file is limited, not of them all.
      env: { ...process.env, TAP_TIMEOUT: '0' },
    })
    // tap, too, tells a parent something: of its timeouts.
    child.on('message', (answer: object) => 'leftOpen' in answer && this.hear(answer as TestReport))
    const ended = once(child, 'exit').then(() => null)
    this.process = { child, ended }
    return this.process
  }
}

async function runCheck(name: string): Promise<Outcome> {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('')
  const [code] = await closed
  return { name, isOk: code === 0, subtest: '', diagnosis: code === 0 ? {} : { output } }
}

const jobs = [
  ...(names.length === 0 ? checks.map((name) => () => runCheck(name)) : []),
  ...testFiles().map((name) => (lane: Lane) => lane.run(name)),
]
const reporter = new Reporter()
reporter.pipe(process.stdout)
reporter.write('TAP version 14\n')

let next = 0
let told = 0
async function runNext(lane: Lane): Promise<void> {
  for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
    const startedMs = performance.now()
    const { name, isOk, subtest, diagnosis } = await job(lane)
    const tookMs = Math.round(performance.now() - startedMs)
    told += 1
    if (!isOk) process.exitCode = 1
    reporter.write(`${subtest}${isOk ? 'ok' : 'not ok'} ${told} - ${name} # time=${tookMs}ms\n`)
    if (Object.keys(diagnosis).length > 0) reporter.write(`  ---\n${indented(diagnosis)}  ...\n`)
  }
  await lane.end()
}

const indented = (diagnosis: Record<string, string>) =>
  stringify(diagnosis, { lineWidth: 0 }).replace(/^(?=.)/gm, '  ')

// Files wait much of their time: for the disk, for processes that they start, for timers.
await Promise.all(Array.from({ length: availableParallelism() + 2 }, () => runNext(new Lane())))
reporter.end(`1..${told}\n`)
