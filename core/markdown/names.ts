import type { MentionCandidate, MentionSpan } from './types.ts'

const maxNameLength = 160

const broadcasts: Readonly<Record<string, string>> = {
  __here__: 'here',
  __channel__: 'channel',
  __everyone__: 'everyone',
}

/** Returns the current name, or the one in the file for a member who left. @param names by member id */
export function displayedName(
  mention: Pick<MentionSpan, 'id' | 'name' | 'form'>,
  names: Record<string, string>,
): string {
  if (mention.form === 'bare') return mention.name
  if (Object.hasOwn(broadcasts, mention.id)) return broadcasts[mention.id]!
  return Object.hasOwn(names, mention.id) ? names[mention.id]! : unescapedName(mention.name)
}

/** Finds the longest of many names at a position, independently of their number. */
export class NameIndex {
  readonly #people = new Map<string, MentionCandidate>()
  /** Lengths of the names that begin with these letters and digits, longest first. */
  readonly #lengths = new Map<string, number[]>()

  /** @param people the first of equal names wins */
  constructor(people: Iterable<MentionCandidate>) {
    for (const person of people) {
      const { name } = person
      if (name === '' || this.#people.has(name) || needsEscape(name)) continue
      this.#people.set(name, person)
      const word = wordAt(name, 0)
      const lengths = this.#lengths.get(word) ?? []
      if (!lengths.includes(name.length))
        this.#lengths.set(
          word,
          [...lengths, name.length].sort((a, b) => b - a),
        )
    }
  }

  /** Finds a name that no letter or digit follows. @param limit the end of the text */
  longestAt(text: string, from: number, limit: number): MentionCandidate | undefined {
    for (const length of this.#lengths.get(wordAt(text, from)) ?? []) {
      const end = from + length
      if (end > limit || (end < limit && continuesWord(text, end))) continue
      const person = this.#people.get(text.slice(from, end))
      if (person) return person
    }
    return undefined
  }
}

/** Such a name would not be the text of a link, as the canonical form requires. */
const needsEscape = (name: string): boolean => /[[\]()\r\n]/.test(name)

/** New names contain no special characters (`display-name.ts`); members may have one from before. */
export const escapedName = (name: string): string => name.replace(/[\\`<]|^\^/g, '\\$&')

const unescapedName = (name: string): string => name.replace(/\\([\\`<^])/g, '$1')

function wordAt(text: string, from: number): string {
  return /^[\p{L}\p{N}]*/u.exec(text.slice(from, from + maxNameLength))![0]
}

/** A combining mark belongs to the letter before it. */
function continuesWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}\p{M}]/u.test(text.slice(at, at + 2))
}
