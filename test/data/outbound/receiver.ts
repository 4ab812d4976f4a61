import { once } from 'node:events'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Test } from 'tap'
import { certificate, certificateKey } from './certificate.ts'

export interface Receiver {
  port: number
  /** The bytes received on each connection so far, in the order of the connections. */
  heard: string[]
  /** The open connections. */
  open: Set<Socket>
}

/** What a receiver does on a new connection, and once the headers of a request have arrived. */
export interface Manners {
  connected?: (socket: Socket) => void
  asked?: (socket: Socket, request: string) => void
}

/** Starts a receiver on 127.0.0.1 that answers with raw bytes. */
export const receive = (t: Test, manners: Manners): Promise<Receiver> =>
  listen(t, createTcpServer(), 'connection', manners)

/** Starts such a receiver over TLS as `receiver.example`. */
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
    // A client may leave in the middle of a long response.
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
