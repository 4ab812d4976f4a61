import { Duplex } from 'node:stream'
import contentDisposition from 'content-disposition'
import { multipart, type PluginFunction } from 'formidable'
import koaBody, { type ExtendedFormidableOptions } from 'koa-body'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Upload } from '../../core/files/types.ts'
import type { Context } from '../context.ts'
import { quotedName } from '../input-refusals.ts'
import { bytesOf, incompleteBodyError, tooLargeError } from './body.ts'

export const formBytes = 64 * 1024
const maxParts = 20
/** formidable sets no limit, and searches a header for a file name in quadratic time. */
const maxHeaderBytes = 8 * 1024

type Part = Parameters<NonNullable<ExtendedFormidableOptions['onPart']>>[0] & {
  headers?: Record<string, string>
}

export interface FormFile {
  upload: Upload
  drop(): void
}

/**
 * Resolves with the file of a multipart form. The file's bytes end only once the whole form is valid.
 * @throws WorkspaceError `invalid`, `too_large`, `bad_request`
 */
export function formUpload(ctx: Context, limitBytes: number): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    if (!/boundary=("[^"]+"|[^;])/i.test(ctx.get('content-type'))) {
      throw new WorkspaceError('invalid', 'The multipart form has no valid boundary.')
    }
    const sink = new FileStream()
    const unknownNames: string[] = []
    let parts = 0
    let hasFile = false
    let failure: WorkspaceError | null = null
    const fail = (error: WorkspaceError) => {
      failure ??= error
      sink.destroy(failure)
      reject(failure)
    }
    const checkFile = (field: string | null) => {
      if (field !== 'file') fail(unexpected(`The field ${JSON.stringify(field)} holds a file`))
      else if (hasFile) fail(unexpected('The form holds a second file'))
      else if (unknownNames.length > 0) fail(unknownFields(unknownNames))
      hasFile = true
    }
    const checkField = (field: string | null) => {
      if (field === 'file') fail(unexpected('The form holds no file: its field file is a text'))
      else unknownNames.push(quotedName(field ?? ''))
    }
    const onPart = (part: Part, handle: (part: Part) => void) => {
      const name = fileName(part)
      const isFile = name !== null || part.mimetype === 'application/octet-stream'
      parts += 1
      if (parts > maxParts) fail(unexpected('The form holds too many fields'))
      else if (isFile) checkFile(part.name)
      else checkField(part.name)
      if (!isFile || failure) return
      // formidable treats a part without a type as a field.
      part.mimetype ??= 'text/plain'
      handle(part)
      const upload = { name: name ?? '', type: part.mimetype, bytes: bytes() }
      resolve({ upload, drop: () => sink.destroy() })
    }
    async function* bytes() {
      yield* bytesOf(sink, limitBytes)
      await ended
      if (failure) throw failure
    }
    const options: ExtendedFormidableOptions = {
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: Number.POSITIVE_INFINITY,
      enabledPlugins: [
        multipart,
        limitHeaders(() => fail(unexpected(`A header in the form is longer than ${maxHeaderBytes} bytes`))),
        (form) => {
          form.on('progress', (received) => {
            if (received > limitBytes + formBytes) fail(tooLargeError(limitBytes, 'A file'))
          })
        },
      ],
      filename: () => 'upload',
      fileWriteStreamHandler: () => sink,
      onPart,
    }
    const read = koaBody({ ...onlyMultipart, formidable: options })
    const ended = read(ctx, async () => {
      if (unknownNames.length > 0) fail(unknownFields(unknownNames))
      else if (!hasFile) fail(unexpected('The form holds no file'))
    }).catch((error: Error) => {
      const isEncoded = 'httpCode' in error && error.httpCode === 501
      fail(
        isEncoded
          ? unexpected('The form holds a part in an unknown transfer encoding')
          : incompleteBodyError(),
      )
    })
  })
}

const onlyMultipart = {
  multipart: true,
  json: false,
  urlencoded: false,
  text: false,
  patchKoa: false,
  patchNode: false,
} as const

const unexpected = (what: string) =>
  new WorkspaceError('invalid', `${what}. Send one file, in the field file.`)

/** Strips folders that some programs add. formidable does not read `filename*`. */
function fileName({ originalFilename, headers }: Part): string | null {
  const name = originalFilename ?? extendedName(headers?.['content-disposition'] ?? '')
  return name === null ? null : name.slice(name.lastIndexOf('/') + 1)
}

function extendedName(disposition: string): string | null {
  if (!/filename\*=/i.test(disposition)) return null
  try {
    return contentDisposition.parse(disposition).parameters.filename ?? null
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

const unknownFields = (names: string[]) => unexpected(`There is no field ${names.join(', ')} here`)

function limitHeaders(refuse: () => void): PluginFunction {
  return (form) => {
    let length = 0
    const parser: MultipartParser = (form as unknown as { _parser: MultipartParser })._parser
    parser.prependListener('data', (piece) => {
      if (piece.name === 'partBegin') length = 0
      if (piece.name !== 'headerField' && piece.name !== 'headerValue') return
      length += piece.end - piece.start
      if (length <= maxHeaderBytes) return
      piece.end = piece.start
      refuse()
    })
  }
}

/** The internal parser of formidable's plugin `multipart`; each piece is a range of its buffer. */
interface MultipartParser {
  prependListener(
    event: 'data',
    listener: (piece: { name: string; start: number; end: number }) => void,
  ): void
}

/** formidable continues after one completed write, so waiting ones complete together to bound memory. */
class FileStream extends Duplex {
  #pendingWrite: (() => void) | null = null

  constructor() {
    super()
    // There may be no reader yet to receive the error.
    this.on('error', () => {})
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.push(bytes)) done()
    else this.#pendingWrite = done
  }

  override _writev(pieces: { chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(pieces.map(({ chunk }) => chunk)), 'utf8', done)
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  override _read(): void {
    this.#completeWrite()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error)
    this.#completeWrite()
  }

  #completeWrite(): void {
    const completeWrite = this.#pendingWrite
    this.#pendingWrite = null
    completeWrite?.()
  }
}
