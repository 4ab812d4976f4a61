import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { quantile } from './measured.ts'
import type { Typing, TypingResult } from './typing.ts'
import { Typist } from './typist.ts'

// All typists, in their own process.

let runs = 0

async function run({ urls, writers, readers, everyMs, durationMs, signin }: Typing): Promise<TypingResult> {
  runs += 1
  const latencies: number[] = []
  const typedMs = new Map<string, number>()
  const onReceived = (clientId: string, seq: number) => {
    const sentMs = typedMs.get(`${clientId} ${seq}`)
    if (sentMs !== undefined) latencies.push(performance.now() - sentMs)
  }
  const openIn = (url: string, document: number) =>
    Promise.all(
      Array.from({ length: writers + readers }, (_, index) =>
        Typist.open(url, `typist-${runs}-${document}-${index}`, signin, onReceived),
      ),
    )
  const gathered = await Promise.all(urls.map(openIn))
  const typing = gathered.flatMap((typists) => typists.slice(0, writers))
  const startMs = performance.now()

  const drive = async (typist: Typist, index: number) => {
    let dueMs = startMs + (everyMs * index) / typing.length
    for (; dueMs < startMs + durationMs; dueMs += everyMs) {
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await pause(waitMs)
      // A late letter also waited for the one before it.
      typedMs.set(`${typist.clientId} ${typist.seq + 1}`, waitMs > 0 ? performance.now() : dueMs)
      await typist.type()
    }
  }

  await Promise.all(typing.map(drive))
  const expected = typedMs.size * (writers + readers - 1)
  await eventually(() => latencies.length === expected || null).catch(() => {
    throw new Error(`Of ${expected} letters that were to come, ${latencies.length} came.`)
  })
  for (const typist of gathered.flat()) typist.close()
  return { letters: typedMs.size, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}

process.on('message', (typing: Typing) => {
  run(typing).then(
    (result) => process.send!({ result }),
    (error) => process.send!({ error: String(error) }),
  )
})
