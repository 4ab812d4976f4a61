import { StoredEntries } from '../stored-entries.ts'

/** Text that was written and not saved, as this browser keeps it. */
export interface Unsaved {
  key: string
  /** The revision that it changes; null: it is something new. */
  revision: string | null
  title: string
  text: string
  at: number
}

/**
 * Keeps what is written on one page until it is saved, so that neither a crash nor the end of a session loses it. Each
 * page has an entry of its own: two windows do not overwrite each other.
 */
export class UnsavedTextStore {
  private readonly entries: StoredEntries<Unsaved>
  private readonly key = crypto.getRandomValues(new Uint32Array(2)).join('-')

  constructor(subject: string) {
    this.entries = new StoredEntries('workroom:unsaved', `${subject}:`, ({ at }) => at)
  }

  store(written: Pick<Unsaved, 'revision' | 'title' | 'text'>): void {
    this.entries.write({ ...written, key: this.key, at: Date.now() })
  }

  remove(key = this.key): void {
    this.entries.remove(key)
  }

  /** The newest that another page has left. */
  find(): Unsaved | null {
    return this.entries.all().findLast(({ key }) => key !== this.key) ?? null
  }
}
