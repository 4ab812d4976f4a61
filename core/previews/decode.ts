import { TextDecoder } from 'node:util'

/** How far into a page its own word on its encoding may stand, as the HTML standard has it. */
const prescanBytes = 1024

const byteOrderMarks: [bytes: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

/**
 * The text of an HTML page. Its encoding is what its byte order mark says, else the header, else the page itself, else
 * UTF-8. What cannot be decoded becomes U+FFFD.
 */
export function decodePage(body: Buffer, contentType: string): string {
  const encoding = bomEncoding(body) ?? charsetIn(contentType) ?? metaEncoding(body) ?? 'utf-8'
  // As the beginning of a longer text, which it may be: half a character at its end is left out. Node 20, besides, takes
  // windows-1252 for ISO-8859-1 where it believes to have the whole.
  return decoderFor(encoding).decode(body, { stream: true })
}

function bomEncoding(body: Buffer): string | undefined {
  return byteOrderMarks.find(([bytes]) => bytes.every((byte, index) => body[index] === byte))?.[1]
}

const charsetIn = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]

function metaEncoding(body: Buffer): string | undefined {
  const start = body.toString('latin1', 0, prescanBytes)
  const declared = /<meta\s[^>]*charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)?.[1]
  // A page whose bytes could be read so far is not UTF-16, whatever it says.
  return declared !== undefined && /^utf-?16/i.test(declared) ? 'utf-8' : declared
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
