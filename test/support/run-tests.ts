import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { programFile } from '../../data/program.ts'
import { inSources } from './in-sources.ts'
import Reporter from './reporter.ts'

/**
 * Runs every test file that has been built, each in a process of its own: by plain node, so that what is tested is what is
 * shipped. (tap's own runner puts its loaders into each process and each worker thread, at five times the cost.) Lint and
 * types are checked beside them. With names behind `npm test --`, only files are run whose path holds one of them.
 */

/** How long one file may take, in seconds, also on a machine that others keep busy. */
const longestSeconds = 240

/** The scripts of the package that look at the sources. */
const checks = ['types', 'lint']

/** Long files first: the last one to end is then a short one. */
const longFirst = ['sigkill', 'service', 'flood', 'events-soak', 'serve', 'events-model', 'moments', 'backup']

const tests = fileURLToPath(programFile('test/'))
const names = process.argv.slice(2)

interface Outcome {
  name: string
  isOk: boolean
  /** TAP, in front of the line that says how it went: the tests of a file. */
  subtest: string
  /** TAP, behind that line: what a check has to say. */
  diagnosis: string
}

function testFiles(): string[] {
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.js') && (names.length === 0 || names.some((name) => file.includes(name))),
  )
  const rank = (file: string) => longFirst.indexOf(basename(file, '.test.js')) >>> 0
  return files.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

async function runTest(name: string): Promise<Outcome> {
  const { said, complained, isOk } = await ended(process.execPath, join(tests, name))
  process.stderr.write(complained)
  const indented = said.replace(/^TAP version .*\n/, '').replace(/^(?=.)/gm, '    ')
  return { name, isOk, subtest: `# Subtest: ${name}\n${indented}`, diagnosis: '' }
}

async function runCheck(name: string): Promise<Outcome> {
  const { said, complained, isOk } = await ended('npm', 'run', '--silent', name)
  const output = stringify({ output: said + complained }, { lineWidth: 0 })
  return {
    name,
    isOk,
    subtest: '',
    diagnosis: isOk ? '' : `  ---\n${output.replace(/^(?=.)/gm, '  ')}  ...\n`,
  }
}

/** Runs a process. @returns what it has printed, with places in the sources where it failed */
async function ended(command: string, ...args: string[]) {
  const child = spawn(command, args, {
    env: { ...process.env, TAP_TIMEOUT: String(longestSeconds) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: (longestSeconds + 10) * 1000,
    killSignal: 'SIGKILL',
  })
  const code = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await Promise.all([text(child.stdout), text(child.stderr)])
  const isOk = (await code) === 0
  const [said, complained] = isOk ? printed : printed.map(inSources)
  return { said: said!, complained: complained!, isOk }
}

const jobs = [
  ...(names.length === 0 ? checks.map((name) => () => runCheck(name)) : []),
  ...testFiles().map((name) => () => runTest(name)),
]
const reporter = new Reporter()
reporter.pipe(process.stdout)
reporter.write('TAP version 14\n')

let next = 0
let told = 0
async function runNext(): Promise<void> {
  for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
    const startedMs = performance.now()
    const { name, isOk, subtest, diagnosis } = await job()
    const tookMs = Math.round(performance.now() - startedMs)
    told += 1
    if (!isOk) process.exitCode = 1
    reporter.write(`${subtest}${isOk ? 'ok' : 'not ok'} ${told} - ${name} # time=${tookMs}ms\n${diagnosis}`)
  }
}
// Files wait much of their time: for the disk, for processes that they start, for timers.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, runNext))
reporter.end(`1..${told}\n`)
