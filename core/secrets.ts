import type { SecretsTable } from '../data/tables/secrets.ts'
import type { RandomBytes } from './ids.ts'

const secretBytes = 32

interface SecretsDeps {
  secrets: SecretsTable
  random: RandomBytes
}

/** The workspace's own secrets, each for one use. Nobody is shown one: what is signed with it can be checked. */
export class Secrets {
  private readonly deps: SecretsDeps

  constructor(deps: SecretsDeps) {
    this.deps = deps
  }

  /** Null where nothing has been signed with it yet. @param use such as `unsubscribe` */
  find(use: string): Uint8Array | null {
    return this.deps.secrets.find(use) ?? null
  }

  /** To be called inside a commit: it is made where there is none yet. */
  getOrCreate(use: string): Uint8Array {
    const known = this.find(use)
    if (known) return known
    const made = this.deps.random(secretBytes)
    this.deps.secrets.insert(use, made)
    return made
  }
}
