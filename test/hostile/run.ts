import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { attack, type Campaign, type Outcome } from './campaign.ts'
import { clock } from './clock.ts'
import { dav } from './dav.ts'
import { fault } from './fault.ts'
import { fuzz } from './fuzz.ts'
import { kill } from './kill.ts'
import { live } from './live.ts'
import { powerCut } from './power-cut.ts'
import { saves } from './saves.ts'
import { scope } from './scope.ts'
import { storm } from './storm.ts'
import { stranger } from './stranger.ts'

// `npm run hostile -- [campaign …] [--minutes N] [--tries N] [--seed S]` attacks running workspaces and
// reports broken promises. Without names it runs all campaigns. Exit code 1: a promise broke; 2: wrong usage.

const campaigns: Campaign[] = [clock, dav, fault, fuzz, kill, live, powerCut, saves, scope, storm, stranger]

function usage(problem: string): never {
  const list = campaigns.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join('\n')
  process.stderr.write(
    `${problem}\n\nUsage: npm run hostile -- [campaign …] [--minutes N] [--tries N] [--seed S]\n\n${list}\n`,
  )
  process.exit(2)
}

function positive(value: string | undefined, option: string, fallback: number): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (!(number > 0)) usage(`${option} takes a number above 0, not ${value}`)
  return number
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { minutes: { type: 'string' }, tries: { type: 'string' }, seed: { type: 'string' } },
    })
  } catch (error) {
    return usage((error as Error).message)
  }
}

function lineOf({ name, seed, tried, failures, figures, seconds }: Outcome): string {
  const measured = [...figures].map(([figure, value]) => `; ${figure}: ${value}`).join('')
  return `${name}: tried ${tried}, failed ${failures.length}${measured} (${seconds} s, --seed ${seed})`
}

const { values, positionals } = parse()
for (const name of positionals) {
  if (!campaigns.some((campaign) => campaign.name === name)) usage(`There is no campaign ${name}`)
}
const selected = campaigns.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const seed = values.seed ?? randomBytes(4).toString('hex')
const tries = positive(values.tries, '--tries', Number.POSITIVE_INFINITY)

// Cleaning up happens when the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

for (const campaign of selected) {
  const minutes = positive(values.minutes, '--minutes', campaign.minutes)
  process.stderr.write(`${campaign.name}: ${campaign.about} (--seed ${seed})\n`)
  const outcome = await attack(campaign, { minutes, tries, seed })
  process.stdout.write(`${lineOf(outcome)}\n`)
  if (outcome.failures.length > 0) process.exitCode = 1
}
