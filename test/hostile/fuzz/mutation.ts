import type { CampaignRun } from '../campaign.ts'
import { nastyValues } from './dictionary.ts'

type Random = Pick<CampaignRun, 'below' | 'pick'>

/** Changes a text a few times at random. @param pieces texts to insert */
export function mutateText(run: Random, text: string, pieces: readonly string[]): string {
  let changed = text
  for (let times = 1 + run.below(4); times > 0; times--) changed = mutateOnce(run, changed, pieces)
  return changed.slice(0, 200_000)
}

function mutateOnce(run: Random, text: string, pieces: readonly string[]): string {
  const at = run.below(text.length + 1)
  const end = Math.min(text.length, at + run.below(20))
  switch (run.below(7)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, end) + text.slice(at)
    case 2:
      return text.slice(0, at) + run.pick(pieces) + text.slice(end)
    case 3:
      return text.slice(0, at) + run.pick(pieces) + text.slice(at)
    case 4:
      return text.slice(0, at) + String.fromCodePoint(1 + run.below(run.pick([127, 0xd7ff]))) + text.slice(at)
    case 5:
      return text.slice(0, at) + run.pick(pieces).repeat(1 + run.below(run.pick([3, 60]))) + text.slice(at)
    default:
      return text.slice(at) + text.slice(0, at)
  }
}

/** Replaces, removes or inserts one part of a JSON value. */
export function mutateJson(run: Random, value: unknown, texts: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || run.below(6) === 0) {
    if (typeof value === 'string' && run.below(3) > 0) return mutateText(run, value, texts)
    return run.below(2) === 0 ? run.pick(nastyValues) : run.pick(texts)
  }
  if (Array.isArray(value)) {
    const at = run.below(value.length + 1)
    return value.toSpliced(at, run.below(2), mutateJson(run, value[at] ?? null, texts))
  }
  const entries = Object.entries(value)
  const at = run.below(entries.length + 1)
  if (at === entries.length) return Object.fromEntries([...entries, [run.pick(texts), run.pick(nastyValues)]])
  const [name, inner] = entries[at]!
  const others = entries.toSpliced(at, 1)
  return run.below(5) === 0
    ? Object.fromEntries(others)
    : Object.fromEntries([...others, [name, mutateJson(run, inner, texts)]])
}

/** Replaces lone surrogates, which cannot be sent. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()
