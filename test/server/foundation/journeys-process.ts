import { renameSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { defaultConfig } from '../../../core/config.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { startServer } from '../../../server/index.ts'
import { capturedLog } from '../../support/captured-log.ts'
import { eventually } from '../../support/eventually.ts'
import { type RequestOptions, request } from '../../support/http-client.ts'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { TestClock } from '../../support/test-clock.ts'

/** A process that serves the home of its argument, and sends which functions each journey through the server passes. */

/** A function of a built file, by the position at which it begins. */
export interface PassedFunction {
  url: string
  offset: number
}

export type Measured = Record<string, PassedFunction[]>

interface Journey {
  /** Before each round; not measured. */
  prepare?(): void
  go(): Promise<unknown>
}

const warmUps = 3
/** A function counts if each of these rounds calls it: what the watcher adds to one or another is of no journey. */
const rounds = 8
/** Turns of the event loop in which, after an answer, held requests are woken and outboxes check what is due. */
const turnsAfterAnswer = 10
/** Timers as long as those of files that become durable in the background, which never fire. */
const minIgnoredMs = 1000

const home = process.argv[2]!
const clock = new TestClock()
const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada', clock })
const faults = { markdown: processMarkdown() }
const server = await startServer({ home, config: defaultConfig, port: 0, clock, log: capturedLog(), faults })
const inspector = new Session()

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
async function send(method: string, path: string, options: RequestOptions = {}) {
  const response = await request(server.url, method, path, { key, agent, ...options })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response
}

let changes = 0
const text = () => `# Small\n\nA short text, changed ${++changes} times.\n\n- and a list\n- of two items\n`
const document = '/v1/fs/projects/general/docs/small.md'
const putDocument = () => send('PUT', document, { body: text() })
const messages = '/api/rooms/general/messages'
const postMessage = () => send('POST', messages, { body: { body: `A short message, ${++changes}.` } })

async function journeys(): Promise<Record<string, Journey>> {
  const { live } = server.workspace.events
  let { head } = live
  await putDocument()
  await postMessage()
  const twoEvents = `/v1/events?since=${head}&wait=0&self=include&includeOwn=1`
  const folder = join(home, 'projects/general/documents')
  const saved = join(folder, '.saving.tmp')
  return {
    'GET of a document': { go: () => send('GET', document) },
    'GET of events': { go: () => send('GET', twoEvents) },
    'PUT of a document': { go: putDocument },
    'POST of a message': { go: postMessage },
    'an edit on the disk': {
      prepare() {
        head = live.head
        writeFileSync(saved, text())
      },
      async go() {
        renameSync(saved, join(folder, 'small.md'))
        await eventually(() => live.head !== head)
      },
    },
  }
}

/** The functions called since the last time this was asked. */
async function calledFunctions(): Promise<Map<string, PassedFunction>> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const called = result.flatMap(({ url, functions }) =>
    functions
      .map(({ ranges }) => ranges[0]!)
      // A script itself, of which only functions count, begins at 0.
      .filter(({ count, startOffset }) => count > 0 && startOffset > 0 && url.startsWith('file:'))
      .map(({ startOffset }) => ({ url, offset: startOffset })),
  )
  return new Map(called.map((called) => [`${called.url}:${called.offset}`, called]))
}

async function turnsAfter(): Promise<void> {
  for (let turn = 0; turn < turnsAfterAnswer; turn++) await nextTurn()
}

async function measure({ prepare, go }: Journey): Promise<PassedFunction[]> {
  const inRound: Map<string, PassedFunction>[] = []
  for (let round = 0; round < warmUps + rounds; round++) {
    prepare?.()
    await turnsAfter()
    await calledFunctions()
    await go()
    await turnsAfter()
    inRound.push(await calledFunctions())
  }
  const [first, ...others] = inRound.slice(warmUps)
  return [...first!].filter(([key]) => others.every((other) => other.has(key))).map(([, called]) => called)
}

function ignoreLongTimers(): void {
  const start = setTimeout
  const startShort = (callback: () => void, ms = 0) =>
    ms < minIgnoredMs ? start(callback, ms) : start(() => {}, 2 ** 30)
  Object.assign(globalThis, { setTimeout: startShort })
}

ignoreLongTimers()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const measured: Measured = {}
for (const [name, journey] of Object.entries(await journeys())) measured[name] = await measure(journey)
process.send!(measured, () => process.exit())
