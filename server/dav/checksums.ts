import { createHash } from 'node:crypto'
import type { Checksums } from '../../core/mount/checksums.ts'
import type { Context } from '../context.ts'
import { DavError } from './dav-error.ts'
import type { XmlName } from './xml.ts'

const owncloud = 'http://owncloud.org/ns'

export const isChecksums = ({ namespace, name }: XmlName): boolean =>
  namespace === owncloud && name === 'checksums'

export const checksumsElement = ({ sha1, md5 }: Checksums): string =>
  `<oc:checksums xmlns:oc="${owncloud}"><oc:checksum>SHA1:${sha1} MD5:${md5}</oc:checksum></oc:checksums>`

/** Passes on a file's bytes. @throws DavError 400 at their end if they do not match `OC-Checksum` */
export async function* verifyChecksum(
  ctx: Context,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const [, algorithm, expected] = /^\s*(SHA1|MD5):([0-9a-f]+)\s*$/i.exec(ctx.get('OC-Checksum')) ?? []
  if (algorithm === undefined) return yield* bytes
  const hash = createHash(algorithm.toLowerCase())
  for await (const piece of bytes) {
    hash.update(piece)
    yield piece
  }
  if (hash.digest('hex') === expected!.toLowerCase()) return
  throw new DavError(400, 'The received bytes do not match OC-Checksum. Send the file again.')
}
