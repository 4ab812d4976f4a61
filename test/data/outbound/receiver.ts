import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Test } from 'tap'
import { certificate, certificateKey } from './certificate.ts'

export interface Receiver {
  port: number
  /** What each connection has sent so far, in the order in which they came. */
  heard: string[]
  /** Connections that are open now. */
  open: Set<Socket>
}

/** What a receiver does with a connection; told of it at once, and of what it says as soon as the headers are there. */
export interface Manners {
  connected?: (socket: Socket) => void
  asked?: (socket: Socket, request: string) => void
}

/** A receiver on 127.0.0.1 that answers in bytes, as badly as a test wants it to. */
export const receive = (t: Test, manners: Manners): Promise<Receiver> =>
  listen(t, createTcpServer(), 'connection', manners)

/** The same over TLS, as `receiver.example`. */
export const receiveTls = (t: Test, manners: Manners): Promise<Receiver> =>
  listen(t, createTlsServer({ cert: certificate, key: certificateKey }), 'secureConnection', manners)

async function listen(
  t: Test,
  server: Server,
  event: 'connection' | 'secureConnection',
  { connected, asked }: Manners,
): Promise<Receiver> {
  const heard: string[] = []
  const open = new Set<Socket>()
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    // Whoever is asked to take a gigabyte may leave in the middle.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on(event, (socket: Socket) => {
    const at = heard.push('') - 1
    let wasAsked = false
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.on('data', (bytes) => {
      heard[at] += bytes.toString('latin1')
      if (wasAsked || !heard[at]!.includes('\r\n\r\n')) return
      wasAsked = true
      asked?.(socket, heard[at]!)
    })
    connected?.(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, heard, open }
}
