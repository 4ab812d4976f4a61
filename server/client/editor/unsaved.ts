import { StoredEntries } from '../stored-entries.ts'

/** Unsaved text as stored in this browser. */
export interface UnsavedText {
  key: string
  /** The revision on which it is based; null for a new file. */
  revision: string | null
  title: string
  text: string
  at: number
}

/** Stores unsaved text, in case of a crash or an ended session. Each page has its own entry. */
export class UnsavedTextStore {
  private readonly entries: StoredEntries<UnsavedText>
  private readonly key = crypto.getRandomValues(new Uint32Array(2)).join('-')

  constructor(subject: string) {
    this.entries = new StoredEntries('workroom:unsaved', `${subject}:`, ({ at }) => at)
  }

  store(unsaved: Pick<UnsavedText, 'revision' | 'title' | 'text'>): void {
    this.entries.write({ ...unsaved, key: this.key, at: Date.now() })
  }

  remove(key = this.key): void {
    this.entries.remove(key)
  }

  /** Returns the newest entry of another page. */
  find(): UnsavedText | null {
    return this.entries.all().findLast(({ key }) => key !== this.key) ?? null
  }
}
