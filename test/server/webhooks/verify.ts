import { createHmac } from 'node:crypto'
import type { ReceivedRequest } from '../../support/webhook-receiver.ts'

/** Which signatures of a call match a secret, as a receiver finds out by itself. */
export interface Signed {
  /** `X-Service-Signature` */
  service: boolean
  /** `X-Service-Signature-Previous` */
  previous: boolean
  /** One of those in `webhook-signature`. */
  standard: boolean
}

const sha256 = (key: Buffer, bytes: Buffer) => createHmac('sha256', key).update(bytes).digest()

/** Returns the secret as libraries of the Standard Webhooks specification take it. */
export const librarySecret = (secret: string): string => `whsec_${Buffer.from(secret).toString('base64')}`

/** Verifies a call with the code of a receiver, which shares nothing with the code that signs. */
export function isSignedBy({ headers, body }: ReceivedRequest, secret: string): Signed {
  const at = headers['x-service-timestamp']
  const expected = sha256(Buffer.from(secret), Buffer.concat([Buffer.from(`${at}.`), body])).toString('hex')
  return {
    service: headers['x-service-signature'] === `sha256=${expected}`,
    previous: headers['x-service-signature-previous'] === `sha256=${expected}`,
    standard: isSignedAsStandard({ headers, body }, librarySecret(secret)),
  }
}

/** Verifies a call as the libraries of the specification do. @param secret `whsec_…` */
export function isSignedAsStandard(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  secret: string,
): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
  const signed = sha256(key, Buffer.concat([Buffer.from(`${id}.${at}.`), body])).toString('base64')
  return String(signatures)
    .split(' ')
    .some((signature) => signature === `v1,${signed}`)
}
