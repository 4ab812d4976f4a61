import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { BeginUpload, Upload } from '../../core/files/types.ts'
import { shownName } from '../accepted-input.ts'
import type { Context } from '../context.ts'
import { queryText } from '../request-fields.ts'
import { askForBody, endedEarly, tooLarge } from './body.ts'

export interface UploadOptions {
  /** The largest file. */
  uploadBytes: number
  /** Lets a body take its time. */
  allowLongBody(request: IncomingMessage): void
}

/** What a form may hold beside the bytes of its file. */
const formBytes = 64 * 1024
/** For how long the rest of a body that was refused is still read. */
const farewellMs = 10_000

/**
 * Takes the one file of a request: a multipart form with the field `file`, or the raw body with `?name=`, which also
 * renames the file of a form. Its bytes pass through as they are asked for.
 * @param take begins to receive once it knows that the caller may send the file; what it leaves of the body is thrown away
 * @throws what `take` throws; for the body `too_large`, `unprocessable` where it is no such form, `unsupported_media_type`
 *   where it is compressed, `bad_request` where it ends early
 */
export async function takeUpload<T>(
  ctx: Context,
  { uploadBytes, allowLongBody }: UploadOptions,
  take: (begin: BeginUpload) => Promise<T>,
): Promise<T> {
  const { req } = ctx
  const named = queryText(ctx, 'name')
  const isForm = /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')
  const begin = async (): Promise<Upload> => {
    if (!isForm && named === undefined) throw nameless('Say with ?name= what the file is called')
    askForBody(ctx, isForm ? uploadBytes + formBytes : uploadBytes, 'A file')
    allowLongBody(req)
    const upload = isForm ? await fileOfForm(req, uploadBytes) : rawFile(req, uploadBytes)
    const name = named ?? upload.name
    if (name === '') throw nameless('The file of the form has no name: say with ?name= what it is called')
    return { ...upload, name }
  }
  try {
    return await take(begin)
  } finally {
    sayFarewell(req)
  }
}

const nameless = (hint: string) =>
  new WorkspaceError('unprocessable', `${hint}, or send a multipart form with the field file.`)

const rawFile = (req: IncomingMessage, limitBytes: number): Upload => ({
  name: '',
  type: req.headers['content-type'] ?? null,
  bytes: bytesOf(req, limitBytes),
})

/** The bytes of a request or of a part of it, as they are asked for, with what goes wrong in words. The request itself is never destroyed: it has an answer. */
export async function* bytesOf(source: Readable, limitBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0
  try {
    for await (const bytes of source.iterator({ destroyOnReturn: false })) {
      length += bytes.length
      if (length > limitBytes) throw tooLarge(limitBytes, 'A file')
      yield bytes
    }
  } catch (error) {
    throw error instanceof WorkspaceError ? error : endedEarly()
  }
}

/** Waits for the file of a form. Its bytes end only when the form has ended well. */
function fileOfForm(req: IncomingMessage, limitBytes: number): Promise<Upload> {
  return new Promise((resolve, reject) => {
    let file: BusboyFileStream | null = null
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    let failure: WorkspaceError | null = null
    const fail = (error: WorkspaceError) => {
      failure ??= error
      req.unpipe(form)
      file?.destroy(failure)
      end()
      reject(failure)
    }
    async function* bytes() {
      yield* bytesOf(file!, limitBytes)
      await ended
      if (failure) throw failure
    }
    const form = formOf(req)
    form.on('file', (field, stream, filename: string | undefined, _encoding, type) => {
      stream.on('error', () => {})
      if (field !== 'file') return fail(unexpected(`The field ${JSON.stringify(field)} holds a file`))
      if (file) return fail(unexpected('The form holds a second file'))
      if (unknown.length > 0) return failAtUnknown()
      file = stream
      resolve({ name: filename ?? '', type, bytes: bytes() })
    })
    const unknown: string[] = []
    const failAtUnknown = () => fail(unexpected(`There is no field ${unknown.join(', ')} here`))
    form.on('field', (field: string) => {
      if (field === 'file') fail(unexpected('The form holds no file: its field file is a text'))
      else unknown.push(shownName(field))
    })
    for (const limit of ['partsLimit', 'fieldsLimit'] as const) {
      form.on(limit, () => fail(unexpected('The form holds too many fields')))
    }
    form.on('finish', () => {
      if (unknown.length > 0) failAtUnknown()
      else if (file) end()
      else fail(unexpected('The form holds no file'))
    })
    form.on('error', () => fail(endedEarly()))
    req.once('close', () => {
      if (!req.complete) fail(endedEarly())
    })
    req.pipe(form)
  })
}

const unexpected = (what: string) =>
  new WorkspaceError('unprocessable', `${what}. Send one file, in the field file.`)

/** @throws WorkspaceError `unprocessable` where the form cannot be taken apart */
function formOf(req: IncomingMessage) {
  try {
    const contentType = req.headers['content-type']!
    const limits = { fields: 20, fieldSize: 1024, parts: 25, headerPairs: 50, headerSize: 8192 }
    return new Busboy({ headers: { ...req.headers, 'content-type': contentType }, limits })
  } catch {
    throw new WorkspaceError('unprocessable', 'The multipart form names no boundary, or one that is no good.')
  }
}

/** Throws away what is left of a body, for a while: who sends it reads the answer only then. */
export function sayFarewell(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return
  const cut = setTimeout(() => req.destroy(), farewellMs).unref()
  req.once('close', () => clearTimeout(cut))
  req.unpipe()
  req.resume()
}
