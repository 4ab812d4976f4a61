import { availableParallelism } from 'node:os'
import { LRUCache } from 'lru-cache'
import { decompress } from '../../data/compression.ts'
import { revisionOf } from '../revisions/revision.ts'
import type { JoinedAnalyses } from './analyse-all.ts'
import { analyseAtOnce } from './analyse-at-once.ts'
import { AnalysisBatches } from './analysis-batches.ts'
import { noBlocksError, tooSlowEditsError } from './content-error.ts'
import { diagramHtml, insertDrawings } from './diagram-html.ts'
import { cacheFragments } from './fragment-cache.ts'
import type { Job, JobResult } from './job.ts'
import { BudgetExceededError, type Priority, WorkerPool } from './pool.ts'
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
  MarkdownService,
  StaleBlock,
  TextDiff,
  TextParts,
  View,
  ViewRequest,
} from './types.ts'
import { warmUp } from './warm-up.ts'

export interface MarkdownOptions {
  budgetMs?: number
  /** Default: ten budgets. */
  maxRunMs?: number
  threads?: number
  /** Workers that are kept when idle. Default: one more than `cores`, for a short job beside heavy ones. */
  minThreads?: number
  isWarmed?: boolean
}

/** Files known to exceed the budget, by revision. */
const maxCostEntries = 10_000

type RenderMode = 'coloured' | 'uncoloured' | 'plain'

const viewCacheBytes = 16 * 1024 * 1024

const diagramCacheBytes = 16 * 1024 * 1024

export function markdownService(options: MarkdownOptions = {}): MarkdownService {
  const { budgetMs = 1000, maxRunMs = 10 * budgetMs, threads = 6 } = options
  const cores = Math.min(availableParallelism(), threads)
  const minThreads = Math.min(options.minThreads ?? cores + 1, threads)
  const pool = new WorkerPool({ budgetMs, maxRunMs, cores, threads, minThreads })
  if (options.isWarmed) void warmUpWorkers(pool)
  // Threads of their own: requests do not wait for batches, and their memory is released after a scan.
  const batchPool = new WorkerPool({ budgetMs, maxRunMs, cores, threads: cores, minThreads: 0 })
  return new ThreadedMarkdown(pool, batchPool)
}

/** One job after the other, all on one worker, which later gets single jobs. */
async function warmUpWorkers(pool: WorkerPool): Promise<void> {
  try {
    for (const job of warmUp()) await pool.run(job, 'background')
  } catch {
    // Closed, or the machine is too busy.
  }
}

class ThreadedMarkdown implements MarkdownService {
  readonly #pool: WorkerPool
  readonly #batchPool: WorkerPool
  readonly #batches: AnalysisBatches
  readonly #tooCostly = new LRUCache<string, 'budget' | 'depth'>({ max: maxCostEntries })
  /** For bodies that exceed the budget in the best mode. */
  readonly #modes = new LRUCache<string, RenderMode>({ max: maxCostEntries })
  readonly #views = new LRUCache<string, View>({
    maxSize: viewCacheBytes,
    sizeCalculation: ({ text }, key) => key.length + (text?.length ?? 0),
  })

  readonly #diagrams = new LRUCache<string, string>({
    maxSize: diagramCacheBytes,
    sizeCalculation: (html, source) => html.length + source.length,
  })

  constructor(pool: WorkerPool, batchPool: WorkerPool) {
    this.#pool = pool
    this.#batchPool = batchPool
    this.#batches = new AnalysisBatches({
      analyseAll: async (files) =>
        (await batchPool.run({ kind: 'analyse all', files }, 'background')) as JobResult & JoinedAnalyses,
      analyseAlone: (request) => this.#analyseAlone(request, 'background'),
    })
  }

  async analyse(
    request: AnalyseRequest,
    priority: Priority,
    sinceMs?: number,
  ): Promise<Analysis | ContentError> {
    const lean = withoutUnusedCandidates(request, request.bytes)
    const reason = this.#knownCost(request.bytes)
    if (reason) return this.#analysePlain(lean, reason, priority)
    if (priority === 'background' && this.#batches.accepts(lean)) return this.#batches.add(lean)
    const atOnce = priority === 'answering' ? analyseAtOnce(lean) : null
    return atOnce ?? this.#analyseAlone(lean, priority, sinceMs)
  }

  async #analyseAlone(
    request: AnalyseRequest,
    priority: Priority,
    sinceMs?: number,
  ): Promise<Analysis | ContentError> {
    const job: Job = { kind: 'analyse', request, plain: null }
    try {
      return await this.#run<Analysis | ContentError>(job, priority, sinceMs)
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
      this.#tooCostly.set(revisionOf(request.bytes), error.reason)
      return this.#analysePlain(request, error.reason, priority)
    }
  }

  async writeBlock(
    request: BlockWriteRequest,
    sinceMs?: number,
  ): Promise<Analysis | ContentError | StaleBlock> {
    const { read, before, replacement } = request
    const reason = this.#knownCost(read)
    if (reason) return noBlocksError(reason)
    const lean = withoutUnusedCandidates(request, before.stored, replacement)
    try {
      const result = await this.#run<Analysis | ContentError | StaleBlock | { kind: 'too deep' }>(
        { kind: 'write block', request: lean },
        'answering',
        sinceMs,
      )
      return result.kind === 'too deep' ? noBlocksError('depth') : result
    } catch (error) {
      if (error instanceof BudgetExceededError) return noBlocksError(error.reason)
      throw error
    }
  }

  async edit(
    request: EditRequest,
    sinceMs?: number,
  ): Promise<EditedText | EditConflict | ContentError | { kind: 'too large' }> {
    const reason = this.#knownCost(request.read)
    const job: Job = { kind: 'edit', request: reason ? { ...request, plain: reason } : request }
    try {
      const result = await this.#run<
        EditedText | EditConflict | ContentError | { kind: 'too large' } | { kind: 'too deep' }
      >(job, 'answering', sinceMs)
      return result.kind === 'too deep' ? noBlocksError('depth') : result
    } catch (error) {
      if (error instanceof BudgetExceededError) return tooSlowEditsError
      throw error
    }
  }

  async view(request: ViewRequest): Promise<View> {
    const { read, ...rest } = request
    const content = revisionOf(read)
    const key = `${content} ${JSON.stringify(rest)}`
    const cached = this.#views.get(key)
    if (cached) return cached
    if (this.#tooCostly.has(content)) return { text: null }
    try {
      const result = await this.#run<{ kind: 'view'; text: string } | { kind: 'too deep' }>(
        { kind: 'view', request },
        'answering',
      )
      const view = { text: result.kind === 'view' ? result.text : null }
      this.#views.set(key, view)
      return view
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
      this.#tooCostly.set(content, error.reason)
      return { text: null }
    }
  }

  async headings(text: Uint8Array): Promise<Heading[] | null> {
    const job: Job = { kind: 'headings', text }
    const result = await this.#runInBudget<{ kind: 'headings'; headings: Heading[] } | { kind: 'too deep' }>(
      job,
    )
    return result?.kind === 'headings' ? result.headings : null
  }

  async html(request: HtmlRequest, priority: Priority = 'answering'): Promise<Html> {
    const content = revisionOf(request.body)
    let mode: RenderMode = request.isPlain ? 'plain' : (this.#modes.get(content) ?? 'coloured')
    for (;;) {
      const html = await this.#htmlIn(mode, request, priority)
      if (html) return this.#drawnIn(html)
      mode = mode === 'coloured' && mayHoldCode(request.body) ? 'uncoloured' : 'plain'
      this.#modes.set(content, mode)
    }
  }

  async htmls(requests: readonly HtmlRequest[]): Promise<Html[]> {
    const isKnown = ({ body, isPlain }: HtmlRequest) => isPlain || this.#modes.has(revisionOf(body))
    const batch = requests.filter((request) => !isKnown(request))
    const htmls = batch.length > 1 ? await this.#htmlsOf(batch) : new Map<HtmlRequest, Html>()
    return Promise.all(requests.map((request) => htmls.get(request) ?? this.html(request)))
  }

  async #htmlsOf(requests: HtmlRequest[]): Promise<Map<HtmlRequest, Html>> {
    const job: Job = { kind: 'htmls', requests }
    const result = await this.#runInBudget<{ kind: 'htmls'; htmls: (Html | null)[] }>(job)
    const htmls = new Map<HtmlRequest, Html>()
    for (const [index, html] of result?.htmls.entries() ?? []) if (html) htmls.set(requests[index]!, html)
    return htmls
  }

  async #htmlIn(mode: RenderMode, request: HtmlRequest, priority: Priority): Promise<Html | null> {
    const isPlain = mode === 'plain'
    try {
      const result = await this.#run<{ kind: 'html'; html: Html } | { kind: 'too deep' }>(
        { kind: 'html', request: { ...request, isPlain }, isColoured: mode === 'coloured' },
        priority,
      )
      return result.kind === 'html' ? result.html : null
    } catch (error) {
      if (error instanceof BudgetExceededError && !isPlain) return null
      throw error
    }
  }

  async differences(request: DifferencesRequest): Promise<TextDiff | null> {
    const job: Job = { kind: 'differences', request }
    const result = await this.#runInBudget<{ kind: 'differences'; differences: TextDiff | null }>(job)
    return result?.differences ?? null
  }

  async textParts(request: HtmlRequest): Promise<TextParts | null> {
    const job: Job = { kind: 'text parts', request }
    const result = await this.#runInBudget<{ kind: 'text parts'; parts: TextParts } | { kind: 'too deep' }>(
      job,
    )
    return result?.kind === 'text parts' ? result.parts : null
  }

  async diagram(source: string): Promise<string> {
    const cached = this.#diagrams.get(source)
    if (cached !== undefined) return cached
    const html = diagramHtml(source, await this.#drawing(source))
    this.#diagrams.set(source, html)
    return html
  }

  async #drawing(source: string): Promise<Diagram> {
    try {
      const result = await this.#run<{ kind: 'diagram'; diagram: Diagram } | { kind: 'too deep' }>(
        { kind: 'diagram', source },
        'answering',
      )
      return result.kind === 'diagram' ? result.diagram : { kind: 'undrawn', reason: 'too large' }
    } catch (error) {
      if (error instanceof BudgetExceededError) return { kind: 'undrawn', reason: 'too costly' }
      throw error
    }
  }

  /** Sequentially: any number of diagrams use one worker. */
  async #drawnIn(html: Html): Promise<Html> {
    if (html.diagrams.length === 0) return html
    const drawings: string[] = []
    for (const source of html.diagrams) drawings.push(await this.diagram(source))
    return { ...html, parts: insertDrawings(html.parts, drawings), diagrams: [] }
  }

  expand(compressed: Uint8Array): Uint8Array {
    return decompress(compressed)
  }

  waiting(): number {
    return this.#pool.waiting + this.#batchPool.waiting
  }

  running(): number {
    return this.#pool.running + this.#batchPool.running
  }

  overBudget(): number {
    return this.#pool.overBudget + this.#batchPool.overBudget
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#batchPool.close()])
  }

  async #analysePlain(request: AnalyseRequest, plain: 'budget' | 'depth', priority: Priority) {
    const result = await this.#run<Analysis | ContentError>({ kind: 'analyse', request, plain }, priority)
    if (result.kind === 'analysis') this.#tooCostly.set(result.revision, plain)
    return result
  }

  async #run<Result extends JobResult>(job: Job, priority: Priority, sinceMs?: number): Promise<Result> {
    const result = await this.#pool.run(job, priority, sinceMs)
    if (result.kind !== 'analysed') return result as Result
    cacheFragments(result.fragments)
    return result.analysis as Result
  }

  /** Runs a job for which a request waits. Null if it exceeds the budget. */
  async #runInBudget<Result extends JobResult>(job: Job): Promise<Result | null> {
    try {
      return await this.#run<Result>(job, 'answering')
    } catch (error) {
      if (error instanceof BudgetExceededError) return null
      throw error
    }
  }

  #knownCost(bytes: Uint8Array): 'budget' | 'depth' | undefined {
    return this.#tooCostly.size === 0 ? undefined : this.#tooCostly.get(revisionOf(bytes))
  }
}

/** Only fenced code with a language is highlighted. */
function mayHoldCode(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return bytes.includes('```') || bytes.includes('~~~')
}

/** A file without an `@` needs no candidates, which need not be copied to a worker. */
function withoutUnusedCandidates<Request extends AnalyseRequest | BlockWriteRequest>(
  request: Request,
  ...texts: Uint8Array[]
): Request {
  const { before } = request
  const mentions = [...texts, ...(before ? [before.stored] : [])].some((text) => text.includes(64))
  return mentions ? request : { ...request, people: [], names: {} }
}
