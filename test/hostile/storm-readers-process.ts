import { setTimeout as pause } from 'node:timers/promises'
import { KeepAliveConnection } from '../bench/keep-alive-connection.ts'
import type { Group, ToReaders, Waits } from './storm-readers.ts'

// The clients of a storm, in a process of their own: sends until it is killed, reports waits on request.

const waits = new Map<string, { ms: number[]; refused: Set<number> }>()
let number = 0

async function drive(port: number, headers: Record<string, string>, group: Group, index: number) {
  const { name, connections, everyMs, statuses } = group
  const connection = await KeepAliveConnection.open(port)
  let dueMs = performance.now() + (everyMs * index) / connections
  for (;;) {
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await pause(waitMs)
    const status = await connection.send(requestOf(group, headers))
    const { ms, refused } = waits.get(name)!
    // The wait for the request before counts, too.
    ms.push(performance.now() - dueMs)
    if (!statuses.includes(status)) refused.add(status)
    dueMs = Math.max(dueMs + everyMs, performance.now())
  }
}

function requestOf({ method, path, body }: Group, headers: Record<string, string>): string {
  const numbered = (text: string) => text.replaceAll('{n}', String(number))
  number += 1
  const content = body === undefined ? '' : numbered(body)
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(content)) }
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${method} ${numbered(path)} HTTP/1.1\r\n${head}\r\n${content}`
}

function report(): Waits[] {
  return [...waits].map(([name, { ms, refused }]) => {
    const sorted = Float64Array.from(ms).sort()
    waits.set(name, { ms: [], refused: new Set() })
    return {
      name,
      requests: sorted.length,
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      maxMs: sorted.at(-1) ?? 0,
      refused: [...refused],
    }
  })
}

process.on('message', (message: ToReaders) => {
  if (message === 'report') {
    process.send!(report())
    return
  }
  const { port, headers, groups } = message
  for (const group of groups) {
    waits.set(group.name, { ms: [], refused: new Set() })
    for (let index = 0; index < group.connections; index++) void drive(port, headers, group, index)
  }
})
process.on('disconnect', () => process.exit())
