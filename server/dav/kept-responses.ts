import type { Mounted } from '../../core/mount/types.ts'

/** The most that are kept. */
const maxKept = 20_000

/** What was sent of members of folders. Core hands out the same frozen object while a document is unchanged. */
export class KeptResponses {
  private readonly byListing = new Map<string, WeakMap<Mounted, string>>()
  private count = 0

  /** @param listing the folder, and what was asked for of its members */
  get(listing: string, member: Mounted, make: () => string): string {
    if (!Object.isFrozen(member)) return make()
    return this.byListing.get(listing)?.get(member) ?? this.add(listing, member, make())
  }

  private add(listing: string, member: Mounted, response: string): string {
    if (++this.count > maxKept) {
      this.byListing.clear()
      this.count = 1
    }
    const responses = this.byListing.get(listing) ?? new WeakMap<Mounted, string>()
    this.byListing.set(listing, responses.set(member, response))
    return response
  }
}
