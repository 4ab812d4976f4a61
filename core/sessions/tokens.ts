import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../ids.ts'

const tokenForm = /^[\w-]{43}$/

/** 256 bits, in 43 characters that need no escaping in a URL. */
export const newToken = (random: RandomBytes): string => Buffer.from(random(32)).toString('base64url')

export const hashOfToken = (token: string): Uint8Array | null =>
  tokenForm.test(token) ? hash('sha256', token, 'buffer') : null

/**
 * Sent by the session's pages with every change; unknown to other sites' pages, and revealing nothing of the token.
 */
export const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('csrf').digest('base64url')

/** In constant time. */
export const tokensEqual = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'))
