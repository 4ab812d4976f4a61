/**
 * A JSON value that this browser keeps under a name of the signed-in member, so that others who sign in here do not see it.
 * A browser without room for it, or that gives none, keeps nothing: the page alone has it then.
 */
export class StoredValue<T> {
  private readonly storage: Storage
  private readonly key: string

  /**
   * @param storage `sessionStorage` for this tab alone, `localStorage` for all of them
   * @param key as `keyOf` makes it
   */
  constructor(storage: Storage, key: string) {
    this.storage = storage
    this.key = key
  }

  read(): T | null {
    try {
      return JSON.parse(this.storage.getItem(this.key) ?? 'null') as T | null
    } catch {
      return null
    }
  }

  /** @returns whether it is kept */
  write(value: T): boolean {
    try {
      this.storage.setItem(this.key, JSON.stringify(value))
      return true
    } catch {
      // There is no room.
      return false
    }
  }

  remove(): void {
    try {
      this.storage.removeItem(this.key)
    } catch {
      // Nothing was kept.
    }
  }
}

export const keyOf = (kind: string, name: string): string => `${kind}:${document.body.dataset.member}:${name}`

/** The keys that begin with this and are kept for all tabs. */
export function storedNames(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}
