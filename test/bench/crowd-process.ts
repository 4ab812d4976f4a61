import { setTimeout as pause } from 'node:timers/promises'
import { KeepAliveConnection } from './keep-alive-connection.ts'
import type { ReleaseResult, WaitOrder } from './waiting-clients.ts'

// The crowd, in its own process, which keeps its connections between gatherings.

/** A listening socket accepts only so many at once. */
const maxConnecting = 100

const crowds = new Map<number, KeepAliveConnection[]>()

async function crowdAt(port: number, count: number): Promise<KeepAliveConnection[]> {
  const crowd = crowds.get(port) ?? []
  crowds.set(port, crowd)
  while (crowd.length < count) {
    const missing = Math.min(maxConnecting, count - crowd.length)
    crowd.push(...(await Promise.all(Array.from({ length: missing }, () => KeepAliveConnection.open(port)))))
  }
  return crowd
}

const headOf = (method: string, path: string, headers: Record<string, string>) =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}`

async function gather({ port, requests, waitMs, release }: WaitOrder): Promise<ReleaseResult> {
  const [messenger, ...crowd] = await crowdAt(port, requests.length + 1)
  const responses = requests.map(({ path, headers }, index) =>
    crowd[index]!.send(`${headOf('GET', path, headers)}\r\n`),
  )
  await pause(waitMs)
  const { path, headers, body } = release
  const length = { 'Content-Length': String(Buffer.byteLength(body)) }
  const status = await messenger!.send(`${headOf('POST', path, { ...headers, ...length })}\r\n${body}`)
  const answeredMs = performance.now()
  if (status !== 201) throw new Error(`The news was answered ${status}`)
  const statuses = await Promise.all(responses)
  const lastMs = performance.now() - answeredMs
  if (statuses.some((each) => each !== 200)) throw new Error(`Some of the crowd were answered ${statuses}`)
  return { lastMs }
}

process.on('message', (order: WaitOrder) => {
  gather(order).then(
    (result) => process.send!({ result }),
    (error: Error) => process.send!({ error: error.message }),
  )
})
