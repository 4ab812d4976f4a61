import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** As a revision's row stores them (zlib raw). */
export const compress = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes)

export const decompress = (compressed: Uint8Array): Uint8Array => inflateRawSync(compressed)
