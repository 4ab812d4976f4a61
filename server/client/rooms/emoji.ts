import { gemoji } from 'gemoji'
import { findMatches, type Suggestion } from '../completion.ts'

const namedEmoji = gemoji.flatMap(({ emoji, names, tags }) => names.map((name) => ({ emoji, name, tags })))
const byName = new Map(namedEmoji.map(({ emoji, name }) => [name, emoji]))

export const emojiNamed = (name: string): string | undefined => byName.get(name.toLowerCase())

/** Matching names precede matching tags. */
export function findEmoji(query: string): Suggestion[] {
  const prefix = query.toLowerCase()
  const tagMatches = namedEmoji.filter(({ tags }) => tags.some((tag) => tag.startsWith(prefix)))
  const matches = [...findMatches(namedEmoji, query, ({ name }) => name), ...tagMatches]
  const unique = [...new Map(matches.map((one) => [one.emoji, one])).values()]
  return unique.map(({ emoji, name }) => ({ label: `${emoji} :${name}:`, text: emoji }))
}
