import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** In bytes: for a shorter text zlib needs no larger window, and less memory to prepare. */
const shortBytes = 8 * 1024

/** As a revision's row stores them (zlib raw). */
export const compress = (bytes: Uint8Array): Uint8Array =>
  deflateRawSync(bytes, bytes.length <= shortBytes ? { windowBits: 13, memLevel: 6 } : {})

export const decompress = (compressed: Uint8Array): Uint8Array => inflateRawSync(compressed)
