import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { BeginUpload, Upload } from '../../core/files/types.ts'
import type { Context } from '../context.ts'
import { readQuery } from '../request-fields.ts'
import { bytesOf, sendContinue } from './body.ts'
import { type FormFile, formBytes, formUpload } from './form-file.ts'

export const uploadParameters = { name: z.string().describe('What the file is called').optional() }

export interface UploadOptions {
  uploadBytes: number
  allowLongBody(request: IncomingMessage): void
}

const lingerMs = 10_000

/**
 * Takes a multipart form with the field `file`, or the raw body with `?name=`.
 * @param store calls `begin` once the caller may send the file; the rest of the body is discarded
 * @throws as `store`; for the body `too_large`, `invalid`, `unsupported_media_type`, `bad_request`
 */
export async function receiveUpload<T>(
  ctx: Context,
  { uploadBytes, allowLongBody }: UploadOptions,
  store: (begin: BeginUpload) => Promise<T>,
  name?: string,
): Promise<T> {
  const { req } = ctx
  const requestedName = name ?? readQuery(ctx, uploadParameters).name
  const isForm = /^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')
  let form = null as FormFile | null
  const begin = async (): Promise<Upload> => {
    if (!isForm && requestedName === undefined) throw missingNameError('Name the file with ?name=')
    sendContinue(ctx, isForm ? uploadBytes + formBytes : uploadBytes, 'A file')
    allowLongBody(req)
    if (isForm) form = await formUpload(ctx, uploadBytes)
    const upload = form?.upload ?? rawUpload(req, uploadBytes)
    const name = requestedName ?? upload.name
    if (name === '') throw missingNameError('The file of the form has no name: add ?name=')
    return { ...upload, name }
  }
  try {
    return await store(begin)
  } finally {
    form?.drop()
    drainBriefly(req)
  }
}

const missingNameError = (hint: string) =>
  new WorkspaceError('invalid', `${hint}, or send a multipart form with the field file.`)

const rawUpload = (req: IncomingMessage, limitBytes: number): Upload => ({
  name: '',
  type: req.headers['content-type'] ?? null,
  bytes: bytesOf(req, limitBytes),
})

/** Discards the rest of a body for a while: many clients read the response only after they have sent it. */
export function drainBriefly(req: IncomingMessage): void {
  if (req.readableEnded || req.destroyed) return
  const cutTimer = setTimeout(() => req.destroy(), lingerMs).unref()
  req.once('close', () => clearTimeout(cutTimer))
  req.unpipe()
  req.resume()
}
