import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../data/database.ts'
import type { Secrets } from '../access/secrets.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { downloadPath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'

export type LinkTarget =
  | { kind: 'attachment'; memberId: string; documentId: string; attachmentId: string }
  | { kind: 'room attachment'; memberId: string; roomId: string; attachmentId: string }
  | { kind: 'file'; memberId: string; projectId: string; path: string }

const use = 'download'
const validForMs = 60 * 60 * 1000
const tokenPattern = /^([\w-]+)\.([\w-]{43})$/

interface SignedLinksDeps {
  secret: Uint8Array
  clock: Clock
  pageUrl: (path: string) => string
}

/** Links that work without a key for an hour, since browsers send none, while their member has access. */
export class SignedLinks {
  constructor(private readonly deps: SignedLinksDeps) {}

  sign(target: LinkTarget, name: string): string {
    const expiresMs = this.deps.clock.now() + validForMs
    const payload = Buffer.from(JSON.stringify([...fieldsOf(target), expiresMs])).toString('base64url')
    const token = `${payload}.${this.signatureOf(payload).toString('base64url')}`
    return this.deps.pageUrl(downloadPath(token, name))
  }

  verify(token: string): LinkTarget {
    const [, payload, signature] = tokenPattern.exec(token) ?? []
    const isValid =
      payload !== undefined &&
      signature !== undefined &&
      timingSafeEqual(Buffer.from(signature, 'base64url'), this.signatureOf(payload))
    if (!isValid) {
      throw new WorkspaceError('forbidden', 'This link is not valid. Copy all of it, or ask for a new one.')
    }
    const [kind, memberId, first, second, expiresMs] = JSON.parse(
      Buffer.from(payload, 'base64url').toString(),
    )
    if (this.deps.clock.now() >= expiresMs) {
      throw new WorkspaceError('forbidden', 'This link has expired. Request a new one.')
    }
    switch (kind) {
      case 'a':
        return { kind: 'attachment', memberId, documentId: first, attachmentId: second }
      case 'r':
        return { kind: 'room attachment', memberId, roomId: first, attachmentId: second }
      default:
        return { kind: 'file', memberId, projectId: first, path: second }
    }
  }

  private signatureOf(payload: string): Buffer {
    return createHmac('sha256', this.deps.secret).update(`${use}:${payload}`).digest()
  }
}

function fieldsOf(target: LinkTarget): string[] {
  switch (target.kind) {
    case 'attachment':
      return ['a', target.memberId, target.documentId, target.attachmentId]
    case 'room attachment':
      return ['r', target.memberId, target.roomId, target.attachmentId]
    case 'file':
      return ['f', target.memberId, target.projectId, target.path]
  }
}

export async function openSignedLinks({
  database,
  secrets,
  ...deps
}: Omit<SignedLinksDeps, 'secret'> & { database: Database; secrets: Secrets }): Promise<SignedLinks> {
  const secret = secrets.find(use) ?? (await commitOrUnavailable(database, () => secrets.getOrCreate(use)))
  return new SignedLinks({ ...deps, secret })
}
