import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CampaignRun } from '../campaign.ts'
import type { RequestInput } from './requests.ts'

const maxEntries = 2000

const seeds = 'fixtures/fuzz'

/** Inputs worth mutating: seeds, those kept from earlier runs, each that led to a new kind of response. */
export class Corpus {
  readonly texts: string[] = []
  readonly requests: RequestInput[] = []
  private readonly folder: string
  private readonly seen = new Set<string>()

  /** @param folder keeps new inputs; it is created if it is missing */
  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    for (const from of [seeds, folder]) this.read(from)
  }

  get size(): number {
    return this.texts.length + this.requests.length
  }

  /** The number of kinds of responses so far. */
  get kinds(): number {
    return this.seen.size
  }

  /** Keeps an input if the kind of its response is new. */
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

/** The folder `FUZZ_CORPUS`, or one that lasts as long as the run. */
export const corpusFolder = (run: CampaignRun): string =>
  process.env.FUZZ_CORPUS ?? join(run.folder, 'corpus')
