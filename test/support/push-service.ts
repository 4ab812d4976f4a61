import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import ece from 'http_ece'
import type { Test } from 'tap'

export interface PushedMessage {
  headers: IncomingHttpHeaders
  body: Buffer
}

/** A push service on the loopback address for any number of named browsers. */
export interface PushService {
  origin: string
  browser(name: string): PushBrowser
}

export interface PushBrowser {
  subscription: { endpoint: string; p256dh: string; auth: string }
  received: PushedMessage[]
  /** The decrypted notifications, oldest first. */
  notifications(): Record<string, unknown>[]
  /** Sets the status that answers pushes to it; 201 at first. */
  respondWith(status: number): void
}

export async function startPushService(t: Test): Promise<PushService> {
  const browsers = new Map<string, PushBrowser & { status: number }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const browser = browsers.get(request.url!.slice(1))!
    browser.received.push({ headers: request.headers, body: Buffer.concat(chunks) })
    response.writeHead(browser.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    browser(name) {
      const browser = newBrowser(`${origin}/${name}`)
      browsers.set(name, browser)
      return browser
    },
  }
}

function newBrowser(endpoint: string): PushBrowser & { status: number } {
  const privateKey = createECDH('prime256v1')
  const p256dh = privateKey.generateKeys('base64url')
  const authSecret = randomBytes(16).toString('base64url')
  return {
    status: 201,
    subscription: { endpoint, p256dh, auth: authSecret },
    received: [],
    notifications() {
      return this.received.map(({ body }) =>
        JSON.parse(ece.decrypt(body, { version: 'aes128gcm', privateKey, authSecret }).toString()),
      )
    },
    respondWith(status) {
      this.status = status
    },
  }
}

/** Verifies the signature of a push. @returns its claims (RFC 8292) */
export function verifiedClaims({ headers }: PushedMessage, publicKey: string): Record<string, unknown> {
  const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization!)!
  if (key !== publicKey) throw new Error('The push is signed with another key.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = { kty: 'EC', crv: 'P-256', x: x!, y: y! }
  const [head, claims, signature] = token!.split('.') as [string, string, string]
  const isOurs = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isOurs) throw new Error('The signature is not valid.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString())
}
