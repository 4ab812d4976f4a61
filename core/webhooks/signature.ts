import { createHmac } from 'node:crypto'
import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { WebhookRow } from '../../data/tables/webhooks.ts'

type Secrets = Pick<WebhookRow, 'secret' | 'previousSecret' | 'previousUntilMs'>

export interface SignedAttempt {
  delivery: Pick<DeliveryRow, 'id' | 'event'>
  attempt: number
  body: Buffer
  atMs: number
}

/** Both kinds of headers have signatures of both secrets for a day after a rotation. */
export function headersOf({ delivery, attempt, body, atMs }: SignedAttempt, webhook: Secrets) {
  const { id, event } = delivery
  const seconds = Math.floor(atMs / 1000)
  const { secret, previousSecret, previousUntilMs } = webhook
  const isOverlap = previousSecret !== null && previousUntilMs !== null && atMs < previousUntilMs
  const secrets = isOverlap ? [secret, previousSecret] : [secret]
  const signatures = secrets.map((secret) => `sha256=${sign(secret, `${seconds}.`, body, 'hex')}`)
  return {
    'Content-Type': 'application/json',
    'X-Service-Signature': signatures[0]!,
    ...(isOverlap && { 'X-Service-Signature-Previous': signatures[1]! }),
    'X-Service-Timestamp': String(seconds),
    'X-Service-Delivery-Id': id,
    'X-Service-Retry-Num': String(attempt - 1),
    'X-Service-Event': event,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets
      .map((secret) => standardSignature(Buffer.from(secret), { id, seconds, body }))
      .join(' '),
  }
}

/** `key` is our secret with `whs_`: libraries of Standard Webhooks need `'whsec_' + base64(secret)`. */
export const standardSignature = (
  key: Buffer,
  { id, seconds, body }: { id: string; seconds: number; body: Buffer },
): string => `v1,${sign(key, `${id}.${seconds}.`, body, 'base64')}`

const sign = (key: string | Buffer, before: string, body: Buffer, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(before).update(body).digest(encoding)
