import type { JoinedAnalyses, JoinedFiles } from './analyse-all.ts'
import type { CachedFragment } from './fragment-cache.ts'
import type {
  AnalyseRequest,
  Analysis,
  BlockWriteRequest,
  ContentError,
  Diagram,
  DifferencesRequest,
  EditConflict,
  EditedText,
  EditRequest,
  Heading,
  Html,
  HtmlRequest,
  PlainReason,
  StaleBlock,
  TextDiff,
  TextParts,
  ViewRequest,
} from './types.ts'

export type Job =
  | { kind: 'analyse'; request: AnalyseRequest; plain: PlainReason | null }
  | { kind: 'analyse all'; files: JoinedFiles }
  | { kind: 'write block'; request: BlockWriteRequest }
  | { kind: 'edit'; request: EditRequest }
  | { kind: 'view'; request: ViewRequest }
  | { kind: 'headings'; text: Uint8Array }
  /** `isColoured`: with syntax highlighting, which takes most of the time. */
  | { kind: 'html'; request: HtmlRequest; isColoured: boolean }
  | { kind: 'htmls'; requests: readonly HtmlRequest[] }
  | { kind: 'text parts'; request: HtmlRequest }
  | { kind: 'diagram'; source: string }
  | { kind: 'differences'; request: DifferencesRequest }

export type JobResult =
  | Analysis
  | { kind: 'analysed'; analysis: Analysis; fragments: CachedFragment[] }
  | ({ kind: 'analysed all' } & JoinedAnalyses)
  | ContentError
  | StaleBlock
  | EditedText
  | EditConflict
  | { kind: 'too large' }
  | { kind: 'view'; text: string }
  | { kind: 'headings'; headings: Heading[] }
  | { kind: 'html'; html: Html }
  /** Null for one that nests too deep. */
  | { kind: 'htmls'; htmls: (Html | null)[] }
  | { kind: 'text parts'; parts: TextParts }
  | { kind: 'diagram'; diagram: Diagram }
  | { kind: 'differences'; differences: TextDiff | null }
  /** It nests too deep for a job that cannot fall back to plain text. */
  | { kind: 'too deep' }

export interface Task {
  job: Job
  slot: number
}

/** A result whose buffers move to the main thread instead of being copied. */
export class MovedResult {
  constructor(
    readonly result: JobResult,
    readonly buffers: ArrayBuffer[],
  ) {}
}

/** A slot's value: when the task began, in nanoseconds of the monotonic clock, or one of these. */
export const notStarted = 0n
export const finished = -1n
