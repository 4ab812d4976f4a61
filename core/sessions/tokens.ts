import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../ids.ts'

const tokenPattern = /^[\w-]{43}$/
const tokenBytes = 32

/** 256 bits, in 43 characters that need no escaping in a URL. */
export const newToken = (random: RandomBytes): string => Buffer.from(random(tokenBytes)).toString('base64url')

export const hashOfToken = (token: string): Uint8Array | null =>
  tokenPattern.test(token) ? hash('sha256', token, 'buffer') : null

/** Sent with every change. Other sites cannot know it, and it reveals nothing of the token. */
export const csrfTokenOf = (token: string): string =>
  createHmac('sha256', token).update('csrf').digest('base64url')

/** Differs in every response, so that the lengths of compressed responses reveal nothing of the token. */
export function maskToken(token: string, random: RandomBytes): string {
  const mask = Buffer.from(random(tokenBytes))
  return Buffer.concat([mask, xor(Buffer.from(token, 'base64url'), mask)]).toString('base64url')
}

/** Compares in constant time. */
export function maskedTokensEqual(one: string, other: string): boolean {
  const [first, second] = [unmask(one), unmask(other)]
  return first !== null && second !== null && timingSafeEqual(first, second)
}

function unmask(masked: string): Buffer | null {
  const bytes = Buffer.from(masked, 'base64url')
  if (bytes.length !== 2 * tokenBytes) return null
  return xor(bytes.subarray(0, tokenBytes), bytes.subarray(tokenBytes))
}

const xor = (one: Buffer, other: Buffer): Buffer =>
  Buffer.from(one.map((byte, index) => byte ^ other[index]!))
