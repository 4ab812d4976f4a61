/** Most keys have one value, which is stored without a set: a set takes 200 bytes. */
export class MultiMap<Key extends string | number = string> {
  private readonly values = new Map<Key, string | Set<string>>()

  get isEmpty(): boolean {
    return this.values.size === 0
  }

  add(key: Key, value: string): void {
    const values = this.values.get(key)
    if (values === undefined) this.values.set(key, value)
    else if (typeof values !== 'string') values.add(value)
    else if (values !== value) this.values.set(key, new Set([values, value]))
  }

  remove(key: Key, value: string): void {
    const values = this.values.get(key)
    if (values === value) this.values.delete(key)
    else if (typeof values === 'object' && values.delete(value) && values.size === 0) this.values.delete(key)
  }

  get(key: Key): Iterable<string> {
    const values = this.values.get(key)
    return typeof values === 'string' ? [values] : (values ?? [])
  }

  size(key: Key): number {
    const values = this.values.get(key)
    return typeof values === 'string' ? 1 : (values?.size ?? 0)
  }
}

/** Keeps scope and key apart: a key that a record holds anyway takes no more memory. */
export class ScopedMultiMap {
  private readonly scopes = new Map<string, MultiMap>()

  add(scope: string, key: string, value: string): void {
    const values = this.scopes.get(scope) ?? new MultiMap()
    this.scopes.set(scope, values)
    values.add(key, value)
  }

  remove(scope: string, key: string, value: string): void {
    const values = this.scopes.get(scope)
    values?.remove(key, value)
    if (values?.isEmpty) this.scopes.delete(scope)
  }

  get(scope: string, key: string): Iterable<string> {
    return this.scopes.get(scope)?.get(key) ?? []
  }
}
