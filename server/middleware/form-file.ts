import { finished, type Transform } from 'node:stream'
import contentDisposition from 'content-disposition'
import { MultipartParser } from 'formidable'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Upload } from '../../core/files/types.ts'
import type { Context } from '../context.ts'
import { quotedName } from '../input-refusals.ts'
import { incompleteBodyError, limited, tooLargeError } from './body.ts'

export const formBytes = 64 * 1024
const maxParts = 20
/** The parser sets no limit, and a search of a header for a file name takes quadratic time. */
const maxHeaderBytes = 8 * 1024

export interface FormFile {
  upload: Upload
  drop(): void
}

/**
 * Resolves with the file of a multipart form. The file's bytes end only once the whole form is valid.
 * @throws WorkspaceError `invalid`, `too_large`, `bad_request`
 */
export async function formUpload(ctx: Context, limitBytes: number): Promise<FormFile> {
  const parser = openParser(ctx, limitBytes)
  const parts = partsOf(parser)
  const check = new FormCheck()
  async function* bytesOfForm(file: Part) {
    yield* limited(file.bytes, limitBytes)
    for await (const part of parts) check.admit(part)
    check.end()
  }
  try {
    for (;;) {
      const { value: part } = await parts.next()
      if (!part) check.end()
      else if (check.admit(part)) {
        const upload = {
          name: part.fileName ?? '',
          type: part.type ?? 'text/plain',
          bytes: bytesOfForm(part),
        }
        return { upload, drop: () => parser.destroy() }
      }
    }
  } catch (error) {
    parser.destroy()
    throw error
  }
}

/** @throws WorkspaceError `invalid` */
function openParser({ req }: Context, limitBytes: number): Transform {
  const [, quoted, token] = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(req.headers['content-type'] ?? '') ?? []
  const boundary = quoted ?? token
  if (boundary === undefined) throw new WorkspaceError('invalid', 'The multipart form has no valid boundary.')
  const parser = new MultipartParser()
  parser.initWithBoundary(boundary)
  // There may be no reader to receive the error.
  parser.on('error', () => {})
  let received = 0
  req.on('data', ({ length }: Buffer) => {
    received += length
    if (received > limitBytes + formBytes) parser.destroy(tooLargeError(limitBytes, 'A file'))
  })
  finished(req, { writable: false }, (error) => {
    if (error) parser.destroy(incompleteBodyError())
  })
  req.pipe(parser)
  return parser
}

interface Part {
  field: string
  /** Without folders, which some programs add; null for a text. */
  fileName: string | null
  type: string | null
  transferEncoding: string
  /** Decoded. The next part may be taken without reading them. */
  bytes: AsyncGenerator<Buffer>
}

/** A range of the bytes that the parser was given, and what it is. */
interface Piece {
  name:
    | 'partBegin'
    | 'headerField'
    | 'headerValue'
    | 'headerEnd'
    | 'headersEnd'
    | 'partData'
    | 'partEnd'
    | 'end'
  buffer: Buffer
  start: number
  end: number
}

/** @throws WorkspaceError `invalid` for a long header, `bad_request` for a form that is malformed or ends early */
async function* partsOf(parser: Transform): AsyncGenerator<Part, undefined> {
  const pieces: AsyncIterator<Piece> = parser[Symbol.asyncIterator]()
  const next = async (): Promise<Piece | null> => {
    try {
      const { value, done } = await pieces.next()
      return done ? null : value
    } catch (error) {
      throw error instanceof WorkspaceError ? error : incompleteBodyError()
    }
  }
  /** Joins pieces that wait: a file of many short lines has thousands of them. */
  async function* bytes(): AsyncGenerator<Buffer> {
    let waiting: Buffer[] = []
    for (let piece = await next(); piece; piece = await next()) {
      if (piece.name === 'partData') waiting.push(piece.buffer.subarray(piece.start, piece.end))
      const isEnd = piece.name === 'partEnd'
      if (!isEnd && parser.readableLength > 0) continue
      if (waiting.length > 0) yield Buffer.concat(waiting)
      if (isEnd) return
      waiting = []
    }
  }
  let headers = new Map<string, string>()
  let headerBytes = 0
  let header = { name: '', value: '' }
  for (let piece = await next(); piece; piece = await next()) {
    const { name, buffer, start, end } = piece
    if (name === 'partBegin') {
      headers = new Map()
      headerBytes = 0
    } else if (name === 'headerField' || name === 'headerValue') {
      headerBytes += end - start
      if (headerBytes > maxHeaderBytes)
        throw unexpected(`A header in the form is longer than ${maxHeaderBytes} bytes`)
      header[name === 'headerField' ? 'name' : 'value'] += buffer.toString('latin1', start, end)
    } else if (name === 'headerEnd') {
      headers.set(header.name.toLowerCase(), Buffer.from(header.value, 'latin1').toString())
      header = { name: '', value: '' }
    } else if (name === 'headersEnd') {
      const transferEncoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
      yield {
        ...namesIn(headers.get('content-disposition') ?? ''),
        type: headers.get('content-type') ?? null,
        transferEncoding,
        bytes: transferEncoding === 'base64' ? decodeBase64(bytes()) : bytes(),
      }
    }
  }
}

async function* decodeBase64(encoded: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = ''
  for await (const bytes of encoded) {
    const text = rest + bytes.toString('latin1').replace(/\s/g, '')
    const length = text.length - (text.length % 4)
    yield Buffer.from(text.slice(0, length), 'base64')
    rest = text.slice(length)
  }
  yield Buffer.from(rest, 'base64')
}

/** Lenient, since browsers escape only quotes and line ends, and some programs nothing. */
function namesIn(disposition: string): Pick<Part, 'field' | 'fileName'> {
  const field = /\bname=(?:"([^"]*)"|([^()<>@,;:\\"/[\]?={}\s]+))/i.exec(disposition)
  const file = /\bfilename=(?:"(.*?)"|([^()<>{}[\]@,;:"?=\s/]+))(?:$|;\s)/i.exec(disposition)
  const fileName = file
    ? (file[1] ?? file[2]!)
        .replace(/^.*\\/, '')
        .replaceAll('%22', '"')
        .replace(/&#(\d{4});/g, (_, code) => String.fromCharCode(code))
    : extendedFileName(disposition)
  return { field: field?.[1] ?? field?.[2] ?? '', fileName: fileName?.replace(/^.*\//, '') ?? null }
}

function extendedFileName(disposition: string): string | null {
  if (!/filename\*=/i.test(disposition)) return null
  try {
    return contentDisposition.parse(disposition).parameters.filename ?? null
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

const transferEncodings = new Set(['7bit', '8bit', 'base64', 'binary', 'utf-8'])

/** Refuses a form that holds more than one file. Each method @throws WorkspaceError `invalid` */
class FormCheck {
  private parts = 0
  private hasFile = false
  private readonly unknownNames: string[] = []

  /** Returns whether the part is the file. */
  admit({ field, fileName, type, transferEncoding }: Part): boolean {
    const isFile = fileName !== null || type === 'application/octet-stream'
    this.parts += 1
    if (!transferEncodings.has(transferEncoding))
      throw unexpected('The form holds a part in an unknown transfer encoding')
    if (this.parts > maxParts) throw unexpected('The form holds too many fields')
    if (isFile) this.admitFile(field)
    else if (field === 'file') throw unexpected('The form holds no file: its field file is a text')
    else this.unknownNames.push(quotedName(field))
    return isFile
  }

  private admitFile(field: string): void {
    if (field !== 'file') throw unexpected(`The field ${JSON.stringify(field)} holds a file`)
    if (this.hasFile) throw unexpected('The form holds a second file')
    this.refuseUnknownNames()
    this.hasFile = true
  }

  end(): void {
    this.refuseUnknownNames()
    if (!this.hasFile) throw unexpected('The form holds no file')
  }

  private refuseUnknownNames(): void {
    if (this.unknownNames.length > 0)
      throw unexpected(`There is no field ${this.unknownNames.join(', ')} here`)
  }
}

const unexpected = (what: string) =>
  new WorkspaceError('invalid', `${what}. Send one file, in the field file.`)
