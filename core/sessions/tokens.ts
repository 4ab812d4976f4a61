import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../ids.ts'

const tokenForm = /^[\w-]{43}$/

/** What a cookie or a link holds: 256 bits, in 43 characters that need no escaping in an address. */
export const newToken = (random: RandomBytes): string => Buffer.from(random(32)).toString('base64url')

/** What is kept of a token. @returns null for what is no token at all */
export const hashOfToken = (token: string): Uint8Array | null =>
  tokenForm.test(token) ? hash('sha256', token, 'buffer') : null

/** What the pages of a session send along with every change, which another site's page cannot know. It says nothing of the token. */
export const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('csrf').digest('base64url')

/** Compares in a time that tells nothing of where the two differ. */
export const tokensEqual = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
