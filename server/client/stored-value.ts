/** A JSON value in the browser's storage, which other members who sign in here do not see. */
export class StoredValue<T> {
  /** @param storage of this tab or of all tabs @param key made by `keyOf` */
  constructor(
    private readonly storage: Storage,
    private readonly key: string,
  ) {}

  read(): T | null {
    try {
      return JSON.parse(this.storage.getItem(this.key) ?? 'null') as T | null
    } catch {
      return null
    }
  }

  write(value: T): boolean {
    try {
      this.storage.setItem(this.key, JSON.stringify(value))
      return true
    } catch {
      // The storage is full or disabled.
      return false
    }
  }

  remove(): void {
    try {
      this.storage.removeItem(this.key)
    } catch {
      // Nothing was stored.
    }
  }
}

export const keyOf = (kind: string, name: string): string => `${kind}:${document.body.dataset.member}:${name}`

export function storedNames(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix))
  } catch {
    return []
  }
}
