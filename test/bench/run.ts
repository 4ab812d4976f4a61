import { cpus } from 'node:os'
import { betweenPages } from './between-pages.ts'
import { dav } from './dav.ts'
import { disk } from './disk.ts'
import { edits } from './edits.ts'
import { behind, waiting } from './events.ts'
import { hostile } from './hostile.ts'
import { intakeOf } from './intake.ts'
import { live } from './live.ts'
import { type Bench, type BenchRow, tableOf } from './measured.ts'
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

// `npm run bench -- [name …]` measures Workroom against bare Koa and its bounds; with `--peers` also against
// other installed servers. `--documents=100000` sets how many documents `mix`, `search`, `intake`, `scale`,
// `start` and `memory-after-load` have (default 2,000; `start` 20,000), `--minutes=10` how long
// `memory-after-load` takes (default 1).

const args = process.argv.slice(2)
const option = /^--(documents|minutes)=([1-9]\d*)$/
const optionOf = (name: string): number | null => {
  const match = args.map((arg) => option.exec(arg)).find((found) => found?.[1] === name)
  return match ? Number(match[2]) : null
}
const documents = optionOf('documents') ?? 2000

const benches: [name: string, bench: Bench][] = [
  ['get', get],
  ['304', notModified],
  ['put', put],
  ['edits', edits],
  ['writers', writers],
  ['list', list],
  ['mix', mixAmong(documents)],
  ['search', searchAmong(documents)],
  ['dav', dav],
  ['post', post],
  ['page', page],
  ['pages', pages],
  ['live', live],
  ['together', together],
  ['between-pages', betweenPages],
  ['memory', memory],
  ['smoothness', smoothness],
  ['waiting', waiting],
  ['behind', behind],
  ['scale', scaleAmong(documents)],
  ['idle', idle],
  ['memory-after-load', restAfterMinutes(optionOf('minutes') ?? 1, documents)],
  ['start', startAmong(optionOf('documents') ?? 20_000)],
  ['intake', intakeOf(documents)],
  ['disk', disk],
  ['hostile', hostile],
  ['webhooks', webhooks],
]
const isWithPeers = args.includes('--peers')
const requested = args.filter((arg) => arg !== '--peers' && !option.test(arg))
const names = benches.map(([name]) => name)
const unknown = requested.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(', ')}. There are: ${names.join(', ')}\n`)
  process.exit(2)
}

const lines: BenchRow[] = []
const chosen = benches.filter(([name]) => requested.length === 0 || requested.includes(name))
for (const [name, bench] of isWithPeers ? [...chosen, ['peers', peers] as const] : chosen) {
  process.stderr.write(`${name} …\n`)
  try {
    lines.push(...(await bench()))
  } catch (error) {
    // The rows of the other benches are still printed.
    process.exitCode = 1
    process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`)
  }
}
process.stdout.write(
  `\nNode ${process.version}, ${cpus().length} cores, load and server on one machine\n\n${tableOf(lines)}\n`,
)
