import { setTimeout as pause } from 'node:timers/promises'
import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { ingested } from './ingested.ts'
import { type Bench, times } from './measured.ts'
import { requestEverything } from './mix.ts'
import { residentBytes, wakeUps } from './process-status.ts'
import { prose } from './prose.ts'

const startMs = 20_000
const idleMs = 60_000
/** Of the main thread, in a second. A scan of the folders, twice a minute, adds a few. */
const boundWakeUps = 1.5

/** How often an idle server wakes up. */
export const idle: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const { port, pid } = await bench.serve()
    await bench.request(port, 'PUT', `${docs}/idle.md`, { body: prose('Idle', 4096) })
    await pause(startMs)
    const before = wakeUps(pid)
    await pause(idleMs)
    const after = wakeUps(pid)
    const eachSecond = (count: number) => count / (idleMs / 1000)
    const main = eachSecond(after.main - before.main)
    return [
      {
        what: `Idle: wake-ups of the answering thread in a second (of all threads ${times(eachSecond(after.all - before.all))})`,
        workroom: times(main),
        against: times(boundWakeUps),
        ratio: times(main / boundWakeUps),
        target: '≤ 1',
        isMet: main <= boundWakeUps,
      },
    ]
  })

const warmUpMs = 30_000
const pauseMs = 30_000
/** Memory after the load, as a multiple of that before it. */
const boundGrowth = 1.2

/** Compares resident memory after mixed requests and a pause with that before them. */
export const restAfterMinutes =
  (minutes: number, documents: number): Bench =>
  () =>
    withBenchWorkspace(async (bench) => {
      await writeDocuments(bench, documents, (number) => `# Page ${number}\n\nSome common words.\n`)
      const server = await bench.serve()
      await ingested(bench, server)
      const memoryAfter = async (loadMs: number) => {
        await requestEverything(bench, server, loadMs)
        await pause(pauseMs)
        return residentBytes(server.pid)
      }
      const before = await memoryAfter(warmUpMs)
      const after = await memoryAfter(minutes * 60_000)
      const spent = minutes === 1 ? 'a minute' : `${minutes} minutes`
      return [
        {
          what: `Resident memory after ${spent} of mixed requests and a pause, ${documents.toLocaleString('en')} documents`,
          workroom: megabytes(after),
          against: `${megabytes(before)} before`,
          ratio: times(after / before),
          target: `≤ ${boundGrowth}`,
          isMet: after <= boundGrowth * before,
        },
      ]
    })

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`
