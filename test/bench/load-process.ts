import { setTimeout as pause } from 'node:timers/promises'
import { KeepAliveConnection } from './keep-alive-connection.ts'
import type { Load, LoadResult } from './load.ts'
import { quantile } from './measured.ts'

// The load generator, in its own process: runs one load after another as ordered.

async function run(load: Load): Promise<LoadResult> {
  const { connections, durationMs, everyMs = 0, status, firstNumber = 0 } = load
  let number = firstNumber
  const latencies: number[] = []
  const opened = await Promise.all(
    Array.from({ length: connections }, () => KeepAliveConnection.open(load.port)),
  )
  const startMs = performance.now()
  const endMs = startMs + durationMs

  const drive = async (connection: KeepAliveConnection, index: number) => {
    let dueMs = startMs + (everyMs * index) / connections
    for (;;) {
      const nowMs = performance.now()
      if (everyMs > 0 && dueMs > nowMs) await pause(dueMs - nowMs)
      const sentMs = performance.now()
      if (sentMs >= endMs) return
      const answered = await connection.send(requestOf(load, number++))
      if (answered !== status) throw new Error(`${load.method} ${load.path} answered ${answered}`)
      // A late request also waited for the one before it.
      latencies.push(performance.now() - (everyMs > 0 ? Math.min(dueMs, sentMs) : sentMs))
      dueMs += everyMs
    }
  }

  try {
    await Promise.all(opened.map(drive))
  } finally {
    for (const connection of opened) connection.close()
  }
  const seconds = (performance.now() - startMs) / 1000
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
  }
}

function requestOf({ method, path, headers = {}, body, documents = 1 }: Load, number: number): string {
  const numbered = (text: string) =>
    text.replaceAll('{n}', String(number)).replaceAll('{d}', String(number % documents))
  const content = body === undefined ? '' : numbered(body)
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(content)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${numbered(path)} HTTP/1.1\r\n${lines.join('')}\r\n${content}`
}

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send!({ result }),
    (error: Error) => process.send!({ error: error.message }),
  )
})
