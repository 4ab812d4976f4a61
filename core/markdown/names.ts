import type { MentionCandidate, MentionSpan } from './types.ts'

/** The most UTF-16 code units that a display name can have: 80 characters. */
const maxNameLength = 160

const broadcasts: Readonly<Record<string, string>> = {
  __here__: 'here',
  __channel__: 'channel',
  __everyone__: 'everyone',
}

/**
 * What a read shows behind the `@`: a member's present name, of one who left the name in the file; a broadcast's own.
 * @param names present names by member id
 */
export function displayedName(
  mention: Pick<MentionSpan, 'id' | 'name' | 'form'>,
  names: Record<string, string>,
): string {
  if (mention.form === 'bare') return mention.name
  if (Object.hasOwn(broadcasts, mention.id)) return broadcasts[mention.id]!
  return Object.hasOwn(names, mention.id) ? names[mention.id]! : unescapedName(mention.name)
}

/** Finds the longest of many names at a place in a text, in time that does not grow with their number. */
export class NameIndex {
  readonly #people = new Map<string, MentionCandidate>()
  /** By the letters and digits that names begin with (which may be none): the lengths of those names, longest first. */
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

  /**
   * The person whose name stands at `from` and is not followed by a letter or digit; undefined when nobody's does.
   * @param limit where the text that may be looked at ends
   */
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

/** Such a name would not stand as a link's text, in which the canonical form keeps it: a bare one stays text. */
const needsEscape = (name: string): boolean => /[[\]()\r\n]/.test(name)

/**
 * A name as it stands between the brackets of the canonical form: what would be more than text there is escaped. New
 * names hold no such character (`display-name.ts`); members may have one from before.
 */
export const escapedName = (name: string): string => name.replace(/[\\`<]|^\^/g, '\\$&')

const unescapedName = (name: string): string => name.replace(/\\([\\`<^])/g, '$1')

function wordAt(text: string, from: number): string {
  return /^[\p{L}\p{N}]*/u.exec(text.slice(from, from + maxNameLength))![0]
}

/** A mark (an accent that is a character of its own) belongs to the letter before it. */
function continuesWord(text: string, at: number): boolean {
  return /^[\p{L}\p{N}\p{M}]/u.test(text.slice(at, at + 2))
}
