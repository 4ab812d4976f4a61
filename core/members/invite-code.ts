import { hash } from 'node:crypto'
import type { RandomBytes } from '../ids.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const lookalikes: Readonly<Record<string, string>> = { O: '0', I: '1', L: '1' }

/** 60 bits that are easy to read out and type, such as `7QK2-M9XA-3TVD`. */
export function newInviteCode(random: RandomBytes): string {
  // 32 divides 256, so every character is equally likely.
  const characters = Array.from(random(12), (byte) => alphabet[byte % 32]).join('')
  return characters.replace(/(.{4})(?=.)/g, '$1-')
}

/** Ignores case, hyphens and white space, and reads O as 0, and I or L as 1. Null if it is no code. */
export function hashOfInviteCode(input: string): Uint8Array | null {
  const characters = input
    .replace(/[\s-]/g, '')
    .toUpperCase()
    .replace(/[OIL]/g, (letter) => lookalikes[letter]!)
  if (!/^[0-9A-HJKMNP-TV-Z]{12}$/.test(characters)) return null
  return hash('sha256', characters, 'buffer')
}
