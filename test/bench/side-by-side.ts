import type { Answer } from '../support/http-client.ts'
import type { Load, LoadResult } from './load.ts'
import { type Measured, median, perSecond, times } from './measured.ts'
import type { BareKoa, Loader } from './processes.ts'

/** How often A and B take turns; the machine may be busy with other things at any moment. */
const rounds = 5
const warmUpMs = 700
const roundMs = 1200

/** Runs loads in turns, warmed up. @returns each one's results, by round */
export async function inTurns(loader: Loader, loads: Load[]): Promise<LoadResult[][]> {
  let number = 0
  const run = async (load: Load, durationMs: number) => {
    const result = await loader.run({ ...load, durationMs, firstNumber: number })
    number += result.requests
    return result
  }
  for (const load of loads) await run(load, warmUpMs)
  const results: LoadResult[][] = loads.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, load] of loads.entries()) results[index]!.push(await run(load, roundMs))
  }
  return results
}

/** The medians of two columns of results, and of their ratios round by round. */
export function compared(ours: LoadResult[], theirs: LoadResult[]) {
  return {
    ours: median(ours.map((result) => result.perSecond)),
    theirs: median(theirs.map((result) => result.perSecond)),
    ratio: median(ours.map((result, round) => result.perSecond / theirs[round]!.perSecond)),
  }
}

/** Measures a request against bare Koa, which answers what Workroom has answered. */
export async function besideBareKoa(
  { loader, koa }: { loader: Loader; koa: BareKoa },
  { what, answer, target }: { what: string; answer: Answer; target?: number },
  load: Omit<Load, 'durationMs'>,
): Promise<Measured> {
  await koa.answer({
    status: answer.status,
    type: answer.headers['content-type'] ?? 'text/plain',
    etag: answer.headers.etag ?? '"0"',
    body: answer.text,
  })
  const ours = { ...load, durationMs: 0 }
  const [our = [], their = []] = await inTurns(loader, [ours, { ...ours, port: koa.port }])
  const { ours: rate, theirs, ratio } = compared(our, their)
  return {
    what,
    workroom: perSecond(rate),
    against: perSecond(theirs),
    ratio: times(ratio),
    target: target === undefined ? '' : `≥ ${target}`,
    isMet: target === undefined ? null : ratio >= target,
  }
}
