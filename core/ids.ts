import { randomBytes, randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import type { Clock } from './time/clock.ts'

export type RandomBytes = (count: number) => Uint8Array

/** An id takes 16 single bytes; a system call for each would cost most of its time. */
const singleBytes = Buffer.alloc(1024)
let nextByte = singleBytes.length

export const systemRandom: RandomBytes = (count) =>
  count === 1 ? Uint8Array.of(singleByte()) : randomBytes(count)

function singleByte(): number {
  if (nextByte === singleBytes.length) {
    randomFillSync(singleBytes)
    nextByte = 0
  }
  return singleBytes[nextByte++]!
}

type IdPrefix =
  | 'mem'
  | 'room'
  | 'msg'
  | 'prj'
  | 'doc'
  | 'cmt'
  | 'ask'
  | 'att'
  | 'key'
  | 'inv'
  | 'ses'
  | 'pky'
  | 'psh'
  | 'wsp'
  | 'mail'
  | 'rep'
  | 'wh'
  | 'file'
  | 'tmp'

/** Returns a prefix and a lower-case ULID, so that ids of one kind sort by creation. */
export type NewId = (prefix: IdPrefix) => string

export function newIdFactory(clock: Clock, random: RandomBytes): NewId {
  const ulid = monotonicFactory(() => random(1)[0]! / 256)
  return (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `prefix` and 43 base62 characters (256 bits). */
export function newSecret(prefix: 'wr_' | 'whs_', random: RandomBytes): string {
  let secret = ''
  while (secret.length < 43) {
    for (const byte of random(64)) {
      // 248 is a multiple of 62: higher bytes would make some characters likelier than others.
      if (byte < 248 && secret.length < 43) secret += base62[byte % 62]
    }
  }
  return prefix + secret
}
