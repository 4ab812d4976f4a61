import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import Reporter from './reporter.ts'

/**
 * Runs every test file that has been built, each in a process of its own: by plain node, so that what is tested is what is
 * shipped. (tap's own runner puts its loaders into each process and each worker thread, at five times the cost.)
 */

/** How long one file may take, in seconds, also on a machine that others keep busy. */
const longestSeconds = 240

const tests = fileURLToPath(new URL('..', import.meta.url))

/** Long files first: the last one to end is then a short one. */
const longFirst = ['sigkill.test.js', 'service.test.js', 'faults.test.js', 'serve.test.js', 'flood.test.js']

function testFiles(): string[] {
  const names = process.argv.slice(2)
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.js') && (names.length === 0 || names.some((name) => file.includes(name))),
  )
  const rank = (file: string) => longFirst.indexOf(basename(file)) >>> 0
  return files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)).map((file) => join(tests, file))
}

interface Outcome {
  /** What the file said, as a subtest of the whole run. */
  subtest: string
  isOk: boolean
  /** The name and the time, as its line of the whole run says them. */
  summary: string
}

async function run(file: string): Promise<Outcome> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    env: { ...process.env, TAP_TIMEOUT: String(longestSeconds) },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: (longestSeconds + 10) * 1000,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const said = await text(child.stdout)
  const isOk = (await ended) === 0
  const name = relative(tests, file)
  const time = `time=${Math.round(performance.now() - startedMs)}ms`
  const indented = said.replace(/^TAP version .*\n/, '').replace(/^(?=.)/gm, '    ')
  return { subtest: `# Subtest: ${name}\n${indented}`, isOk, summary: `${name} # ${time}` }
}

const files = testFiles()
const reporter = new Reporter()
reporter.pipe(process.stdout)
reporter.write('TAP version 14\n')

let next = 0
let told = 0
async function runNext(): Promise<void> {
  for (let file = files[next++]; file !== undefined; file = files[next++]) {
    const { subtest, isOk, summary } = await run(file)
    told += 1
    if (!isOk) process.exitCode = 1
    reporter.write(`${subtest}${isOk ? 'ok' : 'not ok'} ${told} - ${summary}\n`)
  }
}
// Files wait much of their time: for the disk, for processes that they start, for timers.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext))
reporter.end(`1..${told}\n`)
