import { fork } from 'node:child_process'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { finished as streamEnd } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { programFile } from '../../data/program.ts'
import { processorTimeMs } from './processor-time.ts'
import { Reporter } from './reporter.ts'
import type { FileRequest } from './test-process.ts'

/**
 * `node dist/test/support/run.js [option …] [file or folder …]` runs built tests, all of them by default, in a few processes
 * that take one file after another.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Processes at a time. Files wait part of their time: for the disk, for Chromium, for processes that they start. */
    jobs: { type: 'string', default: String(availableParallelism() + 1) },
    /** Decides the order of the files. */
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    /** Runs the files in the order in which they are named. */
    'in-order': { type: 'boolean', default: false },
    /** How often each file runs. */
    repeat: { type: 'string', default: '1' },
    /** Begins no further file after a failure. */
    bail: { type: 'boolean', default: false },
    /** Runs only tests that are marked with `t.only`. */
    only: { type: 'boolean', default: false },
  },
})

/** No file takes a tenth of it, on any machine. */
const fileLimitMs = 600_000

const fixtures = resolve('.tap/fixtures')

interface FinishedFile {
  name: string
  timeMs: number
  processorMs: number | null
}

const reporter = new Reporter((text) => console.log(text))
const finished: FinishedFile[] = []
const queue = orderedFiles()
const fileCount = queue.length

rmSync(fixtures, { recursive: true, force: true })
if (!options['in-order'] && fileCount > 1)
  console.log(`The order of the files is that of --seed=${options.seed}`)
await Promise.all(Array.from({ length: Number(options.jobs) }, runQueue))
printSlowest()
console.log(`${reporter.passed} passed, ${reporter.failed} failed`)
process.exitCode = reporter.failed > 0 || fileCount === 0 ? 1 : 0

/** Runs files until there are none. A process that crashes is replaced. */
async function runQueue(): Promise<void> {
  while (queue.length > 0) await runProcess()
}

/** Runs files in one process until there are none, or it crashes. */
async function runProcess(): Promise<void> {
  const started: string[] = []
  let file: FileRequest | undefined
  let limit: NodeJS.Timeout | undefined
  let processorMs: number | null = null
  const child = fork(programFile('test/support/test-process.js'), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, TAP_TIMEOUT: '0', ...(options.only && { TAP_ONLY: '1' }) },
  })
  const begin = () => {
    file = options.bail && reporter.failed > 0 ? undefined : queue.shift()
    if (!file) return child.disconnect()
    started.push(file.name)
    processorMs = processorTimeMs(child.pid!)
    limit = setTimeout(() => child.kill('SIGKILL'), fileLimitMs)
    child.send(file)
  }
  const running = reporter.follow(child.stdout!, ({ name, passed, failed, timeMs }) => {
    clearTimeout(limit)
    const usedMs = processorMs === null ? null : processorTimeMs(child.pid!)! - processorMs
    finished.push({ name, timeMs, processorMs: usedMs })
    const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`
    console.log(`${failed > 0 ? 'FAILED' : 'ok    '} ${name} (${counts}, ${durations(timeMs, usedMs)})`)
    if (failed > 0) printRepetition(started)
    begin()
  })
  begin()
  // Not `close`, which Node does not emit after `disconnect`.
  const [[status, signal]] = await Promise.all([once(child, 'exit'), streamEnd(child.stdout!)])
  clearTimeout(limit)
  if (!file) return
  const ending = signal === null ? `ended with status ${status}` : `was ended by ${signal}`
  reporter.fail(file.name, `Its process ${ending} during: ${running().join(' › ')}`)
  printRepetition(started)
}

/** Prints how to run a file again after all that ran before it in its process. */
function printRepetition(started: string[]): void {
  if (started.length > 1)
    console.log(`       In its process: npm test -- --jobs=1 --in-order ${started.join(' ')}`)
}

/** The requested files in an order that the seed decides, so that no file comes to depend on another. */
function orderedFiles(): FileRequest[] {
  const names = (positionals.length > 0 ? positionals : ['test']).flatMap(filesAt)
  const ordered = options['in-order'] ? names : [...new Set(names)].sort(byHash)
  return ordered.flatMap((name) =>
    Array.from({ length: Number(options.repeat) }, (_, round) => {
      const label = round === 0 ? name : `${name} (${round + 1})`
      const folder = join(fixtures, label.replace(/[^\w.-]+/g, '-'))
      return { name: label, path: programFile(name.replace(/\.ts$/, '.js')).pathname, folder }
    }),
  )
}

/** The test files with this name, or in a folder of this name. */
function filesAt(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(path, name))
}

function byHash(one: string, other: string): number {
  const hash = (name: string) => createHash('sha256').update(`${options.seed} ${name}`).digest('hex')
  return hash(one) < hash(other) ? -1 : 1
}

function printSlowest(): void {
  const slowest = finished.sort((one, other) => costOf(other) - costOf(one)).slice(0, 10)
  console.log('\nThe slowest files:')
  for (const { name, timeMs, processorMs } of slowest)
    console.log(`  ${durations(timeMs, processorMs)}  ${name}`)
  const totalMs = finished.reduce((sum, { processorMs }) => sum + (processorMs ?? 0), 0)
  if (totalMs > 0) console.log(`All files: ${seconds(totalMs)} of processor time\n`)
}

function costOf({ timeMs, processorMs }: FinishedFile): number {
  return processorMs ?? timeMs
}

function durations(timeMs: number, processorMs: number | null): string {
  const used = processorMs === null ? '' : `, ${seconds(processorMs)} of processor time`
  return `${seconds(timeMs)}${used}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
