import { deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib'

/** zlib takes longer to prepare a larger window than to compress a short text. */
const windows: [maxBytes: number, options: ZlibOptions][] = [
  [2 * 1024, { windowBits: 11, memLevel: 4 }],
  [8 * 1024, { windowBits: 13, memLevel: 6 }],
  [Infinity, {}],
]

const chunk = { min: 256, max: 16 * 1024 }

function optionsFor(windowBytes: number, inputBytes: number): ZlibOptions {
  const [, options] = windows.find(([maxBytes]) => windowBytes <= maxBytes)!
  return { ...options, chunkSize: Math.min(Math.max(inputBytes, chunk.min), chunk.max) }
}

/** zlib raw, as a revision's row stores it. */
export const compress = (bytes: Uint8Array): Uint8Array =>
  deflateRawSync(bytes, optionsFor(bytes.length, bytes.length))

export const decompress = (compressed: Uint8Array): Uint8Array => inflateRawSync(compressed)

export interface DisplayedText {
  text: string
  contexts: string[]
}

/** zlib looks back 32 kB, over the file and the text so far. */
const maxDictionaryBytes = 15 * 1024

/** Nearly all of the text is in the revision's `file`, which serves as the dictionary. */
export function packText({ text, contexts }: DisplayedText, file: Uint8Array): Uint8Array {
  const bytes = Buffer.from([contexts.length, ...contexts, text].join('\0'))
  return deflateRawSync(bytes, {
    ...optionsFor(bytes.length + file.length, bytes.length),
    ...dictionary(file),
  })
}

/** `expand` is called only if the bytes of the file are needed. */
export function unpackText(packed: Uint8Array, fileBytes: number, expand: () => Uint8Array): DisplayedText {
  const needsFile = fileBytes > 0 && fileBytes <= maxDictionaryBytes
  const bytes = inflateRawSync(packed, needsFile ? { dictionary: expand() } : {})
  const parts = bytes.toString().split('\0')
  const count = Number(parts[0])
  return { contexts: parts.slice(1, count + 1), text: parts.slice(count + 1).join('\0') }
}

const dictionary = (file: Uint8Array) =>
  file.length > 0 && file.length <= maxDictionaryBytes ? { dictionary: file } : {}
