import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { type Bench, median, milliseconds, times } from './measured.ts'

const known = 20_000
const starts = 3
const boundMs = 3000

/** A start on a home whose documents are all known and unchanged, until the server listens. */
export const start: Bench = () =>
  withBenchWorkspace(async (workshop) => {
    await writeDocuments(workshop, known, (number) => `# Page ${number}\n\nNo more than this.\n`)
    const firstTime = await workshop.serve()
    await firstTime.close()
    const tookMs: number[] = []
    for (let count = 0; count < starts; count++) {
      const server = await workshop.serve()
      tookMs.push(server.startMs)
      await workshop.request(server.port, 'GET', `${docs}/shelf-0/page-0.md`)
      await server.close()
    }
    const tookMedianMs = median(tookMs)
    return [
      {
        what: 'Start with 20,000 known documents',
        workroom: milliseconds(tookMedianMs),
        against: `${boundMs} ms`,
        ratio: times(tookMedianMs / boundMs),
        target: '≤ 1',
        isMet: tookMedianMs <= boundMs,
      },
      {
        what: 'Start that takes in 20,000 new files',
        workroom: milliseconds(firstTime.startMs),
        against: '',
        ratio: '',
        target: '',
        isMet: null,
      },
    ]
  })
