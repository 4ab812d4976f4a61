import type { SecretsTable } from '../../data/tables/secrets.ts'
import type { RandomBytes } from '../ids.ts'

const secretBytes = 32

interface SecretsDeps {
  secrets: SecretsTable
  random: RandomBytes
}

/** The secrets that sign links, one per use, such as `unsubscribe`. They are never shown to members. */
export class Secrets {
  constructor(private readonly deps: SecretsDeps) {}

  find(use: string): Uint8Array | null {
    return this.deps.secrets.find(use) ?? null
  }

  /** Must be called inside a commit. */
  getOrCreate(use: string): Uint8Array {
    const existing = this.find(use)
    if (existing) return existing
    const created = this.deps.random(secretBytes)
    this.deps.secrets.insert(use, created)
    return created
  }
}
