import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Test } from 'tap'
import { certificate, certificateKey } from './certificate.ts'

export interface Receiver {
  port: number
  /** The bytes received on each connection so far, in the order of the connections. */
  received: string[]
  /** The open connections. */
  open: Set<Socket>
}

/** What a receiver does on a new connection, and once the headers of a request have arrived. */
export interface Handlers {
  onConnection?: (socket: Socket) => void
  onRequest?: (socket: Socket, request: string) => void
}

/** Starts a receiver on 127.0.0.1 that answers with raw bytes. */
export const receive = (t: Test, handlers: Handlers): Promise<Receiver> =>
  listen(t, createTcpServer(), 'connection', handlers)

/** Starts such a receiver over TLS as `receiver.example`. */
export const receiveTls = (t: Test, handlers: Handlers): Promise<Receiver> =>
  listen(t, createTlsServer({ cert: certificate, key: certificateKey }), 'secureConnection', handlers)

async function listen(
  t: Test,
  server: Server,
  event: 'connection' | 'secureConnection',
  { onConnection, onRequest }: Handlers,
): Promise<Receiver> {
  const received: string[] = []
  const open = new Set<Socket>()
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    // A client may leave in the middle of a long response.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.on(event, (socket: Socket) => {
    const at = received.push('') - 1
    let hasRequest = false
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.on('data', (bytes) => {
      received[at] += bytes.toString('latin1')
      if (hasRequest || !received[at]!.includes('\r\n\r\n')) return
      hasRequest = true
      onRequest?.(socket, received[at]!)
    })
    onConnection?.(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { port: (server.address() as AddressInfo).port, received, open }
}
