const slug = /^[a-z0-9._-]{1,64}$/

/**
 * The client that a request names (`docs/interface.md#rooms-and-messages`). It is there to be shown, and decides nothing:
 * a name that is none is passed over.
 */
export const normalizeClientName = (name: string | string[] | undefined): string | undefined =>
  typeof name === 'string' && slug.test(name) ? name : undefined
