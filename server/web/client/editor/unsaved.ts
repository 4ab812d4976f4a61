import { keyOf, StoredValue } from '../stored-value.ts'

/** Text that was written and not saved, as this browser keeps it. */
export interface Unsaved {
  key: string
  /** The revision that it changes; null: it is something new. */
  revision: string | null
  title: string
  text: string
  at: number
}

const kind = 'workroom:unsaved'
const keptForMs = 30 * 24 * 60 * 60 * 1000

/**
 * Keeps what is written on one page until it is saved, so that neither a crash nor the end of a session loses it. Each
 * page has an entry of its own: two windows do not overwrite each other.
 */
export class UnsavedTextStore {
  private readonly subject: string
  private readonly key: string

  constructor(subject: string) {
    this.subject = `${keyOf(kind, subject)}:`
    this.key = this.subject + crypto.getRandomValues(new Uint32Array(2)).join('-')
    this.dropOld()
  }

  store(written: Pick<Unsaved, 'revision' | 'title' | 'text'>): void {
    storedAt(this.key).write({ ...written, at: Date.now() })
  }

  remove(key = this.key): void {
    storedAt(key).remove()
  }

  find(): Unsaved | null {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.subject) && key !== this.key)
    const entries = keys.flatMap((key) => entryOf(key) ?? [])
    return entries.sort((one, other) => other.at - one.at)[0] ?? null
  }

  private dropOld(): void {
    for (const key of Object.keys(localStorage).filter((one) => one.startsWith(`${kind}:`))) {
      const entry = entryOf(key)
      if (!entry || entry.at < Date.now() - keptForMs) storedAt(key).remove()
    }
  }
}

const storedAt = (key: string) => new StoredValue<Omit<Unsaved, 'key'>>(localStorage, key)

function entryOf(key: string): Unsaved | null {
  const entry = storedAt(key).read()
  return entry && { ...entry, key }
}
