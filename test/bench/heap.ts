import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'

/** Arguments with which Node listens for `usedBytes`. */
export const inspected = ['--inspect=127.0.0.1:0']

/** The memory in use after a garbage collection. @param log with the address of the process's inspector */
export async function usedBytes(log: string): Promise<number> {
  const [address] = await eventually(() => readFileSync(log, 'utf8').match(/ws:\/\/127\.0\.0\.1:\S+/))
  const inspector = new WebSocket(address!)
  try {
    await new Promise((resolve) => inspector.once('open', resolve))
    await call(inspector, 'HeapProfiler.collectGarbage', {})
    const expression = 'process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers'
    const { result } = await call(inspector, 'Runtime.evaluate', { expression })
    return result.value
  } finally {
    inspector.close()
  }
}

function call(inspector: WebSocket, method: string, params: object): Promise<{ result: { value: number } }> {
  const answered = new Promise<{ result: { value: number } }>((resolve) => {
    inspector.once('message', (data) => resolve(JSON.parse(String(data)).result))
  })
  inspector.send(JSON.stringify({ id: 1, method, params }))
  return answered
}
