import { constants, deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib'

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

interface DisplayedText {
  text: string
  contexts: string[]
}

/** zlib looks back 32 kB, over the file and the text so far. */
export const maxDictionaryBytes = 15 * 1024

/** Nearly all of the text is in the revision's `file`, which serves as the dictionary. */
export function packText({ text, contexts }: DisplayedText, file: Uint8Array): Uint8Array {
  const bytes = Buffer.from([contexts.length, ...contexts, text].join('\0'))
  return deflateRawSync(bytes, {
    ...optionsFor(bytes.length + file.length, bytes.length),
    ...dictionaryOf(file.length, () => file),
  })
}

/** The text alone. `expand` is called only if the bytes of the file are needed. */
export function unpackText(packed: Uint8Array, fileBytes: number, expand: () => Uint8Array): string {
  const parts = inflateRawSync(packed, dictionaryOf(fileBytes, expand)).toString().split('\0')
  return parts.slice(Number(parts[0]) + 1).join('\0')
}

const firstPackedBytes = 256

/** One of the contexts, without expanding what follows it; undefined if there are fewer. `expand` as of `unpackText`. */
export function unpackContext(
  packed: Uint8Array,
  index: number,
  fileBytes: number,
  expand: () => Uint8Array,
): string | undefined {
  const options = { ...dictionaryOf(fileBytes, expand), finishFlush: constants.Z_SYNC_FLUSH }
  for (let length = firstPackedBytes; ; length *= 4) {
    const bytes = inflateRawSync(packed.subarray(0, length), options)
    const countEnd = bytes.indexOf(0)
    if (countEnd !== -1 && Number(bytes.toString('latin1', 0, countEnd)) <= index) return undefined
    const context = countEnd === -1 ? null : partAt(bytes, countEnd + 1, index)
    if (context !== null) return context
    if (length >= packed.length) throw new Error('The packed text is incomplete.')
  }
}

/** Each part ends with a null byte. Returns null if the bytes end before the part does. */
function partAt(bytes: Buffer, offset: number, index: number): string | null {
  let start = offset
  for (let before = 0; before < index; before++) {
    start = bytes.indexOf(0, start) + 1
    if (start === 0) return null
  }
  const end = bytes.indexOf(0, start)
  return end === -1 ? null : bytes.toString('utf8', start, end)
}

const dictionaryOf = (fileBytes: number, expand: () => Uint8Array) =>
  fileBytes > 0 && fileBytes <= maxDictionaryBytes ? { dictionary: expand() } : {}
