import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CampaignRun } from '../campaign.ts'
import type { RequestInput } from './requests.ts'

/** The most entries of one kind. */
const maxEntries = 2000

const seeds = 'fixtures/fuzz'

/**
 * Inputs that are worth changing further: small seeds, what a folder holds of earlier runs, and every input whose answer
 * was of a kind that had not been seen before.
 */
export class Corpus {
  readonly texts: string[] = []
  readonly requests: RequestInput[] = []
  private readonly folder: string
  private readonly seen = new Set<string>()

  /** @param folder keeps what is found: made where it is missing, read where it is not */
  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    for (const from of [seeds, folder]) this.read(from)
  }

  get size(): number {
    return this.texts.length + this.requests.length
  }

  /** How many kinds of answers were seen. */
  get kinds(): number {
    return this.seen.size
  }

  /** Keeps an input whose answer is of a new kind. @param kind what its answer is told apart by */
  learn(kind: string, input: string | RequestInput): void {
    if (this.seen.has(kind)) return
    this.seen.add(kind)
    const isText = typeof input === 'string'
    const entries: unknown[] = isText ? this.texts : this.requests
    if (entries.length >= maxEntries) return
    entries.push(input)
    const bytes = isText ? input : JSON.stringify(input)
    const name = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    writeFileSync(join(this.folder, isText ? `${name}.md` : `${name}.json`), bytes)
  }

  private read(folder: string): void {
    for (const name of readdirSync(folder).sort()) {
      const text = readFileSync(join(folder, name), 'utf8')
      if (name.endsWith('.md') && this.texts.length < maxEntries) this.texts.push(text)
      if (name.endsWith('.json') && this.requests.length < maxEntries) {
        const value = JSON.parse(text) as RequestInput | RequestInput[]
        this.requests.push(...(Array.isArray(value) ? value : [value]))
      }
    }
  }
}

/** Where a run keeps its corpus: in the folder that `FUZZ_CORPUS` names, else as long as it runs. */
export const corpusFolder = (run: CampaignRun): string =>
  process.env.FUZZ_CORPUS ?? join(run.folder, 'corpus')
