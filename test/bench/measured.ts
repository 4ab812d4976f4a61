import { readFileSync, writeFileSync } from 'node:fs'

/** A row of the table that a run prints at its end. */
export interface BenchRow {
  what: string
  /** With its unit. */
  workroom: string
  /** What Workroom is compared with: bare Koa with the same bytes, or a bound. */
  against: string
  /** Median over the rounds. */
  ratio: string
  target: string
  isMet: boolean | null
  /** Processor time of Workroom for one request, in all threads. */
  processorMs?: number
}

export type Bench = () => Promise<BenchRow[]>

/** Of two middle values, the lower. @throws without values */
export function median(values: number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
  if (middle === undefined) throw new Error('Nothing was measured.')
  return middle
}

/** @param share such as 0.99 @throws without values */
export function quantile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort()
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('Nothing was measured.')
  return value
}

/** The table in markdown. */
export function tableOf(lines: BenchRow[]): string {
  const cells = lines.map(({ what, workroom, against, ratio, target, isMet, processorMs }) => {
    const met = isMet === null ? '' : isMet ? 'yes' : 'no'
    const each = processorMs === undefined ? '' : `${processorMs.toPrecision(2)} ms`
    return [what, workroom, against, ratio, target, met, each].join(' | ')
  })
  return [
    '| What | Workroom | Compared with | Ratio | Target | Met | Processor time each |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...cells.map((line) => `| ${line} |`),
  ].join('\n')
}

const page = 'docs/benchmarks.md'
const tableSection = /(?<=^## The table\n\n)[^#]*/m

/** Replaces what the page shows. @param measured the table and what it was measured on */
export function writeTable(measured: string): void {
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(tableSection, () => `${measured}\n`),
  )
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`

export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`

/** Rates of writes are some thousandths of those of bare Koa. */
export const times = (ratio: number): string => {
  if (ratio < 0.1) return ratio.toPrecision(1)
  return ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1)
}
