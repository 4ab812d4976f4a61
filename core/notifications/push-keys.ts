import { createECDH } from 'node:crypto'
import type { Database } from '../../data/database.ts'
import type { Secrets } from '../access/secrets.ts'

/** Identifies the workspace to push services (VAPID, RFC 8292), base64url. */
export interface PushKeys {
  publicKey: string
  privateKey: string
}

/** Creates the keys at the first start. Existing subscriptions depend on them. */
export async function openPushKeys({
  database,
  secrets,
}: {
  database: Database
  secrets: Secrets
}): Promise<PushKeys> {
  const secret = secrets.find('vapid') ?? (await database.commit(() => secrets.getOrCreate('vapid')))
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret)
  const privateKey = Buffer.from(secret).toString('base64url')
  return { publicKey: pair.getPublicKey().toString('base64url'), privateKey }
}
