import { betweenPages } from './between-pages.ts'
import { startCalibration } from './calibration.ts'
import { dav } from './dav.ts'
import { disk } from './disk.ts'
import { edits } from './edits.ts'
import { behind, waiting } from './events.ts'
import { hostile } from './hostile.ts'
import { intakeOf } from './intake.ts'
import { live } from './live.ts'
import { type Bench, type BenchRow, tableOf, writeTable } from './measured.ts'
import { page, post } from './messages.ts'
import { mixAmong } from './mix.ts'
import { memory } from './open-texts.ts'
import { pages } from './pages.ts'
import { peers } from './peers.ts'
import { get, list, notModified } from './reads.ts'
import { idle, restAfterMinutes } from './rest.ts'
import { scaleAmong } from './scale.ts'
import { searchAmong } from './search.ts'
import { smoothness } from './smoothness.ts'
import { startAmong } from './start.ts'
import { together } from './together.ts'
import { webhooks } from './webhooks.ts'
import { writers } from './writers.ts'
import { put } from './writes.ts'

// `npm run bench -- [name …]` measures Workroom against bare Koa and its bounds, and prints a table. `--table`
// writes it to `docs/benchmarks.md` as well, and stands for the benches that belong there unless others are named;
// `--peers` adds other installed servers. `--documents=100000` sets how many documents `mix`, `search`, `intake`,
// `scale`, `start` and `memory-after-load` have (default 2,000; `start` 20,000), `--minutes=10` how long
// `memory-after-load` takes (default 1).

const args = process.argv.slice(2)
const option = /^--(documents|minutes)=([1-9]\d*)$/
const optionOf = (name: string): number | null => {
  const match = args.map((arg) => option.exec(arg)).find((found) => found?.[1] === name)
  return match ? Number(match[2]) : null
}
const documents = optionOf('documents') ?? 2000

type NamedBench = [name: string, bench: Bench]

/** The benches of `docs/benchmarks.md`, which take ten minutes together. */
const ofTable: NamedBench[] = [
  ['get', get],
  ['list', list],
  ['put', put],
  ['edits', edits],
  ['post', post],
  ['page', page],
  ['waiting', waiting],
  ['behind', behind],
  ['dav', dav],
  ['pages', pages],
  ['live', live],
  ['together', together],
  ['between-pages', betweenPages],
  ['disk', disk],
  ['start', startAmong(optionOf('documents') ?? 20_000)],
  ['hostile', hostile],
  ['webhooks', webhooks],
]

const others: NamedBench[] = [
  ['304', notModified],
  ['writers', writers],
  ['mix', mixAmong(documents)],
  ['search', searchAmong(documents)],
  ['smoothness', smoothness],
  ['memory', memory],
  ['scale', scaleAmong(documents)],
  ['idle', idle],
  ['memory-after-load', restAfterMinutes(optionOf('minutes') ?? 1, documents)],
  ['intake', intakeOf(documents)],
]

const benches = [...ofTable, ...others]
const isTable = args.includes('--table')
const isWithPeers = args.includes('--peers')
const requested = args.filter((arg) => arg !== '--table' && arg !== '--peers' && !option.test(arg))
const names = benches.map(([name]) => name)
const unknown = requested.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${names.join(', ')}\n`)
  process.exit(2)
}

const rows: BenchRow[] = []
const byDefault = isTable ? ofTable : benches
const chosen = requested.length === 0 ? byDefault : benches.filter(([name]) => requested.includes(name))
const finishCalibration = await startCalibration()
for (const [name, bench] of isWithPeers ? [...chosen, ['peers', peers] as const] : chosen) {
  const startMs = performance.now()
  process.stderr.write(`${name} … `)
  try {
    rows.push(...(await bench()))
    process.stderr.write(`${Math.round((performance.now() - startMs) / 1000)} s\n`)
  } catch (error) {
    // The rows of the other benches are still printed.
    process.exitCode = 1
    process.stderr.write(`failed: ${error instanceof Error ? error.stack : error}\n`)
  }
}
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ')
const measured = `${await finishCalibration(command)}\n\n${tableOf(rows)}\n`
process.stdout.write(`\n${measured}`)
if (isTable && process.exitCode === undefined) writeTable(measured)
