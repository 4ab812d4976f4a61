import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '../support/seeded-random.ts'

/** One kind of attack on a running workspace. It stops by itself when `run.isOver()`. */
export interface Campaign {
  /** As it is asked for on the command line. */
  name: string
  /** What it does and what has to hold, in one line. */
  about: string
  /** How long it runs unless the command line says otherwise. */
  minutes: number
  attack(run: CampaignRun): Promise<void>
}

/** What a campaign is given, and what it reports to. */
export interface CampaignRun {
  /** Repeats the same choices when it is given again with `--seed`. */
  seed: string
  /** A new empty folder, which is removed when the campaign ends. Absolute path. */
  folder: string
  /** A whole number from 0 to `limit - 1`, drawn from the seed. */
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  /** Whether the time, or the number of tries that was asked for, is used up. */
  isOver(): boolean
  /** Counts tries. */
  tried(count?: number): void
  /** Reports a promise that did not hold, with what is needed to understand it. */
  failed(what: string): void
  /** Reports a measurement, such as the longest wait; a later value of the same name replaces it. */
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

/** Failures of one campaign beyond these are counted, not printed. */
const maxPrintedFailures = 20

/** Choices of their own for a part of a campaign that runs beside others: they draw from one seed in no fixed order. */
export function choicesOf(seed: string): Pick<CampaignRun, 'below' | 'pick'> {
  const random = seededRandom(seed)
  const below = (limit: number) => Buffer.from(random(6)).readUIntBE(0, 6) % limit
  return { below, pick: (choices) => choices[below(choices.length)]! }
}

/** Runs one campaign within its limits. An exception of the campaign itself counts as a failure. */
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
