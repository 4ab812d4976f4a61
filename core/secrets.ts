import type { SecretsTable } from '../data/tables/secrets.ts'
import type { RandomBytes } from './ids.ts'

const secretBytes = 32

interface SecretsDeps {
  secrets: SecretsTable
  random: RandomBytes
}

/** The workspace's secrets, one for each use, for signing. */
export class Secrets {
  private readonly deps: SecretsDeps

  constructor(deps: SecretsDeps) {
    this.deps = deps
  }

  /** Null if nothing was signed yet. @param use such as `unsubscribe` */
  find(use: string): Uint8Array | null {
    return this.deps.secrets.find(use) ?? null
  }

  /** Must be called inside a commit: a missing secret is created. */
  getOrCreate(use: string): Uint8Array {
    const known = this.find(use)
    if (known) return known
    const made = this.deps.random(secretBytes)
    this.deps.secrets.insert(use, made)
    return made
  }
}
