/** Text that was written and not saved, as this browser keeps it. */
export interface Unsaved {
  key: string
  /** The revision that it changes; null: it is something new. */
  revision: string | null
  title: string
  text: string
  /** Unix milliseconds. */
  at: number
}

const prefix = 'workroom:unsaved:'
const keptForMs = 30 * 24 * 60 * 60 * 1000

/**
 * Keeps what is written on one page until it is saved, so that neither a crash nor the end of a session loses it. Each
 * page has an entry of its own: two windows do not overwrite each other.
 */
export class UnsavedText {
  private readonly subject: string
  private readonly key: string

  /** @param subject what is written on: a document, or something new of a kind. Others who sign in here do not see it */
  constructor(subject: string) {
    this.subject = `${prefix}${document.body.dataset.member}:${subject}:`
    this.key = this.subject + crypto.getRandomValues(new Uint32Array(2)).join('-')
    this.dropOld()
  }

  keep(written: Pick<Unsaved, 'revision' | 'title' | 'text'>): void {
    try {
      localStorage.setItem(this.key, JSON.stringify({ ...written, at: Date.now() }))
    } catch {
      // There is no room, or none is given: the page still asks before it is left.
    }
  }

  forget(key = this.key): void {
    localStorage.removeItem(key)
  }

  /** What another page of the same, or an earlier one, has left. The latest. */
  left(): Unsaved | null {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.subject) && key !== this.key)
    const entries = keys.flatMap((key) => entryOf(key) ?? [])
    return entries.sort((one, other) => other.at - one.at)[0] ?? null
  }

  private dropOld(): void {
    for (const key of Object.keys(localStorage).filter((one) => one.startsWith(prefix))) {
      const entry = entryOf(key)
      if (!entry || entry.at < Date.now() - keptForMs) localStorage.removeItem(key)
    }
  }
}

function entryOf(key: string): Unsaved | null {
  try {
    return { ...(JSON.parse(localStorage.getItem(key)!) as Unsaved), key }
  } catch {
    return null
  }
}
