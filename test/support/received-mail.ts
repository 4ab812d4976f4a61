export interface ReceivedMail {
  recipients: string[]
  /** Unfolded, by lower-case name; repeated ones are joined by a line break. */
  headers: Record<string, string>
  /** Decoded (RFC 2047), as `to` is. */
  subject: string
  to: string
  text: string
  html: string
  raw: string
}

/** Parses mail with two alternative parts. @throws if it is not of that form */
export function readMail(bytes: Buffer, recipients: string[]): ReceivedMail {
  const raw = bytes.toString('latin1')
  const [head, body] = split(raw)
  const headers = headersOf(head)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  if (!/^multipart\/alternative;/.test(headers['content-type'] ?? '') || boundary === undefined) {
    throw new Error(`This is no mail of two parts: ${raw}`)
  }
  const parts = body.split(`--${boundary}`).slice(1, -1).map(partOf)
  const part = (type: string) => parts.find((one) => one.type.startsWith(type))!.content
  return {
    recipients,
    headers,
    subject: decodeWords(headers.subject ?? ''),
    to: decodeWords(headers.to ?? ''),
    text: part('text/plain'),
    html: part('text/html'),
    raw,
  }
}

function split(raw: string): [head: string, body: string] {
  const end = raw.indexOf('\r\n\r\n')
  return [raw.slice(0, end), raw.slice(end + 4)]
}

function headersOf(head: string): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(line) ?? []
    if (name === undefined) throw new Error(`This is no header: ${JSON.stringify(line)}`)
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value! : `${headers[key]}\n${value}`
  }
  return headers
}

function partOf(raw: string): { type: string; content: string } {
  const [head, body] = split(raw.replace(/^\r\n/, ''))
  const headers = headersOf(head)
  const content = body.replace(/\r\n$/, '')
  const encoding = headers['content-transfer-encoding']
  const bytes =
    encoding === 'base64'
      ? Buffer.from(content, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? decodeQuoted(content) : content, 'latin1')
  return { type: headers['content-type']!, content: bytes.toString().replaceAll('\r\n', '\n') }
}

const decodeQuoted = (text: string): string =>
  text
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Decodes the encoded words of a header (RFC 2047). */
const decodeWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
      form.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(decodeQuoted(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
