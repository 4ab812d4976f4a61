import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

interface PendingResponse {
  resolve(status: number): void
  reject(error: Error): void
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/**
 * A client that leaves the processor to the measured server: it sends bytes, and reads only the status and
 * the end of an answer. A body must not end like a chunked one.
 */
export class KeepAliveConnection {
  private readonly socket: Socket
  private pending: PendingResponse | null = null
  private received: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => this.take(chunk))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail(new Error('The server closed the connection.')))
  }

  static async open(port: number): Promise<KeepAliveConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new KeepAliveConnection(socket)
  }

  /** Sends a whole request. @returns the status, after the whole answer */
  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject }
      this.socket.write(request)
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    const headLength = this.received.indexOf(headEnd)
    if (headLength === -1) return
    const head = this.received.toString('latin1', 0, headLength)
    const status = Number(head.slice(9, 12))
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      if (!this.received.subarray(-lastChunk.length).equals(lastChunk)) return
    } else {
      const length = status === 304 || status === 204 ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (length === undefined) {
        this.fail(new Error('The length of an answer is unknown.'))
        return
      }
      if (this.received.length < headLength + headEnd.length + Number(length)) return
    }
    this.received = Buffer.alloc(0)
    const { pending } = this
    this.pending = null
    pending?.resolve(status)
  }

  private fail(error: Error): void {
    this.pending?.reject(error)
    this.pending = null
  }
}
