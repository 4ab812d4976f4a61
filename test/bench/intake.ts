import { readFileSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { databasePath } from '../../data/home.ts'
import { type BenchWorkspace, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { type Bench, type BenchRow, perSecond, times } from './measured.ts'
import type { Served } from './processes.ts'
import { shortNote } from './short-notes.ts'

const targets = { perSecond: 2000, peakMb: 700, restingMb: 450, databaseToText: 3 }
/** By then idle threads have ended and garbage has been collected. */
const restMs = 30_000
const pollMs = 100

/** The first start on a folder of small files: the rate of ingestion, and the memory and disk needed. */
export const intakeOf =
  (count: number): Bench =>
  () =>
    withBenchWorkspace(async (bench) => {
      let textBytes = 0
      await writeDocuments(bench, count, (number) => {
        const text = shortNote(number)
        textBytes += Buffer.byteLength(text)
        return text
      })
      const begunMs = performance.now()
      const server = await bench.serve()
      await ingested(bench, server)
      const rate = (count / (performance.now() - begunMs)) * 1000
      const peakMb = memoryMb(server, 'VmHWM')
      await pause(restMs)
      const restingMb = memoryMb(server, 'VmRSS')
      await server.close()
      const databaseToText = statSync(databasePath(bench.home)).size / textBytes
      const what = (measured: string) =>
        `${measured}, ${count.toLocaleString('en')} files of ${Math.round(textBytes / count)} bytes`
      return [
        {
          ...row(
            what('First start: files ingested'),
            perSecond(rate),
            perSecond(targets.perSecond),
            rate / targets.perSecond,
          ),
          target: '≥ 1',
          isMet: rate >= targets.perSecond,
        },
        atMost(what('Memory meanwhile, at most'), peakMb, targets.peakMb, 'MB'),
        atMost(what(`Memory ${restMs / 1000} seconds later`), restingMb, targets.restingMb, 'MB'),
        atMost(what('Size of the database'), databaseToText, targets.databaseToText, '× the text'),
      ]
    })

async function ingested(bench: BenchWorkspace, { port }: Served): Promise<void> {
  for (;;) {
    const { json } = await bench.request(port, 'GET', '/healthz')
    if (json.ingesting === undefined) return
    await pause(pollMs)
  }
}

function memoryMb({ pid }: Served, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) / 1024
}

const row = (what: string, workroom: string, against: string, ratio: number) => ({
  what,
  workroom,
  against,
  ratio: times(ratio),
})

const atMost = (what: string, measured: number, bound: number, unit: string): BenchRow => ({
  ...row(
    what,
    `${measured < 10 ? measured.toFixed(2) : Math.round(measured)} ${unit}`,
    `${bound} ${unit}`,
    measured / bound,
  ),
  target: '≤ 1',
  isMet: measured <= bound,
})
