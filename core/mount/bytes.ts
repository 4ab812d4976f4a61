import { isUtf8 } from 'node:buffer'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MountedFile } from './types.ts'

export async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of bytes) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Markdown rules of all interfaces (`docs/interface.md#writing-a-file`). @throws WorkspaceError `invalid` */
export function requireText(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new WorkspaceError('invalid', 'The markdown is not UTF-8. Save it as UTF-8.')
  if (bytes.includes(0)) throw new WorkspaceError('invalid', 'The markdown holds a NUL byte.')
}

/** @throws WorkspaceError `too_large` */
export function bytesOfFile(file: MountedFile, limitBytes: number): AsyncIterable<Uint8Array> {
  if (file.size <= limitBytes) return file.size === 0 ? emptyBody() : file.stream()
  throw new WorkspaceError('too_large', `A file of this kind may be at most ${limitBytes} bytes long.`, {
    fields: { limitBytes },
  })
}

export async function* emptyBody(): AsyncGenerator<Uint8Array> {}
