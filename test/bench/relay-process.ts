import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A WebSocket relay with nothing around it, in a process of its own: what one sends, all at the same address get. */

const gathered = new Map<string, Set<WebSocket>>()
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false }, () => {
  process.send!({ result: (server.address() as AddressInfo).port })
})

server.on('connection', (socket, { url = '' }) => {
  const all = gathered.get(url) ?? new Set()
  gathered.set(url, all.add(socket))
  socket.on('message', (data: Buffer) => {
    for (const one of all) one.send(data, { binary: false })
  })
  socket.on('close', () => all.delete(socket))
})
