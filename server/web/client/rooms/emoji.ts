import { gemoji } from 'gemoji'
import { matching, type Suggestion } from '../completion.ts'

const named = gemoji.flatMap(({ emoji, names, tags }) => names.map((name) => ({ emoji, name, tags })))
const byName = new Map(named.map(({ emoji, name }) => [name, emoji]))

export const emojiNamed = (name: string): string | undefined => byName.get(name.toLowerCase())

/** Matching names precede matching tags. */
export function findEmoji(query: string): Suggestion[] {
  const sought = query.toLowerCase()
  const about = named.filter(({ tags }) => tags.some((tag) => tag.startsWith(sought)))
  const found = [...matching(named, query, ({ name }) => name), ...about]
  const unique = [...new Map(found.map((one) => [one.emoji, one])).values()]
  return unique.map(({ emoji, name }) => ({ label: `${emoji} :${name}:`, text: emoji }))
}
