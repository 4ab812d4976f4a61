import { keyOf, StoredValue, storedNames } from './stored-value.ts'

const maxAgeMs = 30 * 24 * 60 * 60 * 1000

/** What has not reached the server yet, stored for 30 days, each entry under its own key. */
export class StoredEntries<T extends { key: string }> {
  private readonly prefix: string
  private readonly timeOf: (entry: T) => number

  /** @param prefix of these entries' keys. Also removes old entries of this kind. */
  constructor(kind: string, prefix: string, timeOf: (entry: T) => number) {
    this.prefix = keyOf(kind, prefix)
    this.timeOf = timeOf
    for (const name of storedNames(`${kind}:`)) {
      const entry = valueAt<T>(name).read()
      if (!entry || timeOf(entry) < Date.now() - maxAgeMs) valueAt(name).remove()
    }
  }

  /** Oldest first. */
  all(): T[] {
    const entries = storedNames(this.prefix).flatMap((name) => {
      const entry = valueAt<T>(name).read()
      return entry ? [{ ...entry, key: name.slice(this.prefix.length) }] : []
    })
    return entries.sort((one, other) => this.timeOf(one) - this.timeOf(other))
  }

  /** Returns whether the browser stored it. */
  write(entry: T): boolean {
    return valueAt(this.nameOf(entry.key)).write(entry)
  }

  remove(key: string): void {
    valueAt(this.nameOf(key)).remove()
  }

  /** Calls `listener` with the key of an entry removed in another tab. */
  onRemoved(listener: (key: string) => void): void {
    addEventListener('storage', ({ key, newValue }) => {
      if (key?.startsWith(this.prefix) && newValue === null) listener(key.slice(this.prefix.length))
    })
  }

  nameOf(key: string): string {
    return this.prefix + key
  }
}

const valueAt = <T>(name: string) => new StoredValue<T>(localStorage, name)
