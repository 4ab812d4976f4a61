import type { HttpResponse } from '../support/http-client.ts'
import type { Load, LoadResult } from './load.ts'
import { type BenchRow, median, perSecond, times } from './measured.ts'
import type { BareKoa, Loader } from './processes.ts'
import { processorMs } from './processor-time.ts'

/** Several, because the machine may be busy with other things at any moment. */
const rounds = 5
const warmUpMs = 700
const roundMs = 1200

/** Warms up each contestant, then runs them in turns. @returns the results of each, by round */
export async function takeTurns<Result>(
  contestants: ((durationMs: number) => Promise<Result>)[],
): Promise<Result[][]> {
  for (const work of contestants) await work(warmUpMs)
  const results: Result[][] = contestants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of contestants.entries()) results[index]!.push(await work(roundMs))
  }
  return results
}

/** A load on a server whose processor time is measured. */
export interface ServerLoad extends Omit<Load, 'durationMs'> {
  pid: number
}

export interface MeasuredLoad extends LoadResult {
  /** Processor time of the server for one request, in all threads. */
  processorMs: number
}

/** Runs loads in turns; `{n}` rises across all of them. @returns the results of each, by round */
export function interleaveLoads(loader: Loader, loads: ServerLoad[]): Promise<MeasuredLoad[][]> {
  let number = 0
  return takeTurns(
    loads.map(({ pid, ...load }) => async (durationMs: number) => {
      const before = processorMs(pid)
      const result = await loader.run({ ...load, durationMs, firstNumber: number })
      number += result.requests
      return { ...result, processorMs: (processorMs(pid) - before) / result.requests }
    }),
  )
}

/** Our rate against another server's, by the medians of interleaved rounds. */
export function comparedLoads(
  what: string,
  [ours = [], theirs = []]: MeasuredLoad[][],
  target?: number,
): BenchRow {
  const { ours: rate, theirs: otherRate, ratio } = medianRatio(ours, theirs)
  return {
    what,
    workroom: perSecond(rate),
    against: perSecond(otherRate),
    ratio: times(ratio),
    target: target === undefined ? '' : `≥ ${target}`,
    isMet: target === undefined ? null : ratio >= target,
    processorMs: median(ours.map((result) => result.processorMs)),
  }
}

type Rate = Pick<LoadResult, 'perSecond'>

/** The medians of both rates, and of their ratio in each round. */
export function medianRatio(ours: Rate[], theirs: Rate[]) {
  return {
    ours: median(ours.map((result) => result.perSecond)),
    theirs: median(theirs.map((result) => result.perSecond)),
    ratio: median(ours.map((result, round) => result.perSecond / theirs[round]!.perSecond)),
  }
}

/** Measures a request against bare Koa, which gives the same answer. */
export async function compareWithBareKoa(
  { loader, koa }: { loader: Loader; koa: BareKoa },
  { what, response, target }: { what: string; response: HttpResponse; target?: number },
  load: ServerLoad,
): Promise<BenchRow> {
  await koa.answer({
    status: response.status,
    type: response.headers['content-type'] ?? 'text/plain',
    etag: response.headers.etag ?? '"0"',
    body: response.text,
  })
  const results = await interleaveLoads(loader, [load, { ...load, port: koa.port, pid: koa.pid }])
  return comparedLoads(what, results, target)
}
