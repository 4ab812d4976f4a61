import { canBeJoined, type JoinedAnalyses, type JoinedFiles, joinFiles, splitFiles } from './analyse-all.ts'
import { BudgetExceededError } from './pool.ts'
import type { AnalyseRequest, Analysis, ContentError } from './types.ts'

const maxFileBytes = 8 * 1024

/** A batch takes some 20 ms, for which a request may wait. */
const maxBatch = { files: 32, bytes: 32 * 1024 }

interface WaitingFile {
  request: AnalyseRequest
  resolve(analysis: Analysis | ContentError): void
  reject(error: unknown): void
}

interface BatchDeps {
  /** @throws BudgetExceededError */
  analyseAll(files: JoinedFiles): Promise<JoinedAnalyses>
  analyseAlone(request: AnalyseRequest): Promise<Analysis | ContentError>
}

/**
 * Collects small new files from the disk, since handing one to a worker costs as much as its parse. A single file is analysed
 * on its own: a batch may first have to start a thread.
 */
export class AnalysisBatches {
  readonly #deps: BatchDeps
  #waiting: WaitingFile[] = []
  #bytes = 0
  #waitedBefore: number | null = null

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  accepts(request: AnalyseRequest): boolean {
    return canBeJoined(request) && request.bytes.length <= maxFileBytes
  }

  add(request: AnalyseRequest): Promise<Analysis | ContentError> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      this.#bytes += request.bytes.length
      if (this.#waiting.length >= maxBatch.files || this.#bytes >= maxBatch.bytes) this.#send()
      else if (this.#waitedBefore === null) this.#sendUnlessMoreCome(0)
    })
  }

  /** Scans read files in slices: a batch grows for as long as each turn adds to it. */
  #sendUnlessMoreCome(waitedBefore: number): void {
    this.#waitedBefore = waitedBefore
    setImmediate(() => {
      this.#waitedBefore = null
      const count = this.#waiting.length
      if (count === 0) return
      if (count === waitedBefore) this.#send()
      else this.#sendUnlessMoreCome(count)
    })
  }

  #send(): void {
    const files = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    if (files.length === 1) this.#analyseAlone(files[0]!)
    else void this.#analyse(files)
  }

  #analyseAlone({ request, resolve, reject }: WaitingFile): void {
    this.#deps.analyseAlone(request).then(resolve, reject)
  }

  async #analyse(files: WaitingFile[]): Promise<void> {
    try {
      const { analyses, compressed, packedTexts } = await this.#deps.analyseAll(
        joinFiles(files.map(({ request }) => request.bytes)),
      )
      const [compressedParts, packedParts] = [splitFiles(compressed), splitFiles(packedTexts)]
      for (const [index, { request, resolve }] of files.entries()) {
        const analysis = analyses[index]!
        resolve(
          analysis.kind === 'analysis'
            ? {
                ...analysis,
                stored: request.bytes,
                compressed: compressedParts[index]!,
                packedText: packedParts[index]!,
              }
            : analysis,
        )
      }
    } catch (error) {
      const isTooCostly = error instanceof BudgetExceededError
      for (const file of files) {
        if (isTooCostly) this.#analyseAlone(file)
        else file.reject(error)
      }
    }
  }
}
