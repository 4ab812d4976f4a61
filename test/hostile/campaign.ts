import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../support/seeded-random.ts'

/** One kind of attack on a running workspace. It stops when `run.isOver()`. */
export interface Campaign {
  /** Its name on the command line. */
  name: string
  /** What it does and what must hold, in one line. */
  about: string
  minutes: number
  attack(run: CampaignRun): Promise<void>
}

export interface CampaignRun {
  /** Repeats the same choices when it is passed with `--seed`. */
  seed: string
  /** The absolute path of a new folder, which is removed when the campaign ends. */
  folder: string
  /** A whole number from 0 to `limit - 1`, drawn from the seed. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  /** Whether the time or the number of tries is used up. */
  isOver(): boolean
  tried(count?: number): void
  /** Reports a broken promise with its context. */
  failed(what: string): void
  /** Reports a measurement; a later value of the same name replaces it. */
  figure(name: string, value: string): void
}

export interface Limits {
  minutes: number
  tries: number
  seed: string
}

export interface Outcome {
  name: string
  seed: string
  tried: number
  failures: string[]
  figures: Map<string, string>
  seconds: number
}

/** Further failures of a campaign are counted and not printed. */
const maxPrintedFailures = 20

/** Choices for a part of a campaign that runs concurrently with others; the order does not change them. */
export function choicesOf(seed: string): Pick<CampaignRun, 'below' | 'pick'> {
  const random = seededRandom(seed)
  const below = (limit: number) => Buffer.from(random(6)).readUIntBE(0, 6) % limit
  return { below, pick: (choices) => choices[below(choices.length)]! }
}

/** Runs one campaign within its limits. An exception counts as a failure. */
export async function attack(campaign: Campaign, limits: Limits): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'workroom-hostile-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const startedMs = performance.now()
  const endMs = startedMs + limits.minutes * 60_000
  const outcome: Outcome = {
    name: campaign.name,
    seed: limits.seed,
    tried: 0,
    failures: [],
    figures: new Map(),
    seconds: 0,
  }
  const run: CampaignRun = {
    seed: limits.seed,
    folder,
    ...choicesOf(`${campaign.name} ${limits.seed}`),
    isOver: () => performance.now() >= endMs || outcome.tried >= limits.tries,
    tried: (count = 1) => {
      outcome.tried += count
    },
    failed: (what) => {
      outcome.failures.push(what)
      if (outcome.failures.length <= maxPrintedFailures)
        process.stderr.write(`${campaign.name}: FAILED after ${outcome.tried} tries: ${what}\n`)
    },
    figure: (name, value) => outcome.figures.set(name, value),
  }
  try {
    await campaign.attack(run)
    if (outcome.tried === 0) run.failed('Nothing was tried')
  } catch (error) {
    run.failed(`The campaign itself ended: ${error instanceof Error ? error.stack : String(error)}`)
  } finally {
    process.off('exit', remove)
    remove()
  }
  outcome.seconds = Math.round((performance.now() - startedMs) / 1000)
  return outcome
}
