import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** The bytes of a revision as its row keeps them (zlib raw). */
export const compress = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes)

/** @throws Error when the bytes were not made by `compress` */
export const decompress = (compressed: Uint8Array): Uint8Array => inflateRawSync(compressed)
