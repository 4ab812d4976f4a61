import type { Mounted } from '../../core/mount/types.ts'

const maxResponses = 20_000

/** Core returns the same frozen object while a document is unchanged. */
export class ResponseCache {
  private readonly byListing = new Map<string, WeakMap<Mounted, string>>()
  private count = 0

  /** @param listing identifies the folder and the requested properties */
  get(listing: string, member: Mounted, make: () => string): string {
    if (!Object.isFrozen(member)) return make()
    return this.byListing.get(listing)?.get(member) ?? this.add(listing, member, make())
  }

  private add(listing: string, member: Mounted, response: string): string {
    if (++this.count > maxResponses) {
      this.byListing.clear()
      this.count = 1
    }
    const responses = this.byListing.get(listing) ?? new WeakMap<Mounted, string>()
    this.byListing.set(listing, responses.set(member, response))
    return response
  }
}
