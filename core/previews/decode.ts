import { TextDecoder } from 'node:util'

/** How far into a page the HTML standard looks for its encoding declaration. */
const prescanBytes = 1024

const byteOrderMarks: [bytes: number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

/** By byte order mark, header, declaration, or UTF-8. Invalid bytes become U+FFFD. */
export function decodePage(body: Buffer, contentType: string): string {
  const encoding = bomEncoding(body) ?? charsetIn(contentType) ?? metaEncoding(body) ?? 'utf-8'
  // Streaming omits half a character at the end of a cut body. Without it, Node 20 decodes windows-1252 as
  // ISO-8859-1.
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
  // A page whose declaration was readable as ASCII is not UTF-16, whatever it declares.
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
