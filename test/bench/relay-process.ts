import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

// A bare WebSocket relay, in its own process: sends each message to all clients of the same address.

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
