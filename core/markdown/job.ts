import type { KnownFragment } from './fragment-cache.ts'
import type {
  AnalyseRequest,
  Analysis,
  BlockWriteRequest,
  ContentError,
  Diagram,
  DifferencesRequest,
  Html,
  HtmlRequest,
  PlainReason,
  StaleBlock,
  TextDiff,
  ViewRequest,
} from './types.ts'

/** What a thread is asked to do. Cloned between threads. */
export type Job =
  | { kind: 'analyse'; request: AnalyseRequest; plain: PlainReason | null }
  | { kind: 'write block'; request: BlockWriteRequest }
  | { kind: 'view'; request: ViewRequest }
  /** `isColoured`: code by its language, which takes most of the time. */
  | { kind: 'html'; request: HtmlRequest; isColoured: boolean }
  /** Many at once, coloured. */
  | { kind: 'htmls'; requests: readonly HtmlRequest[] }
  | { kind: 'diagram'; source: string }
  | { kind: 'differences'; request: DifferencesRequest }

export type JobResult =
  | Analysis
  /** With what its thread knows of the file. */
  | { kind: 'analysed'; analysis: Analysis; fragments: KnownFragment[] }
  | ContentError
  | StaleBlock
  | { kind: 'view'; text: string }
  | { kind: 'html'; html: Html }
  /** Null for one that nests too deep. */
  | { kind: 'htmls'; htmls: (Html | null)[] }
  | { kind: 'diagram'; diagram: Diagram }
  | { kind: 'differences'; differences: TextDiff | null }
  /** It nests too deep for this job, which has no plain way to be done. */
  | { kind: 'too deep' }

/** A job with the place in shared memory where its thread says that it runs. */
export interface Task {
  job: Job
  slot: number
}

/**
 * What a place in the shared `BigInt64Array` says of its task: when it began, in nanoseconds of the machine's
 * monotonic clock, or one of these.
 */
export const notStarted = 0n
export const finished = -1n
