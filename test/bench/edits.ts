import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { editedDocuments, editors, editsOf, putDocuments } from './edited-documents.ts'
import { type Bench, milliseconds, perSecond } from './measured.ts'
import { startLoader } from './processes.ts'
import { processorMs } from './processor-time.ts'

const warmUpMs = 5000
const durationMs = 15_000
/** Processor time of a write, in all threads of the server. */
const boundMs = 1.5

export const edits: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    try {
      const { port, pid } = await bench.serve()
      await putDocuments((name, body) => bench.request(port, 'PUT', `${docs}/${name}`, { body }))
      const load = { ...editsOf(docs), port, headers: bench.authorization, durationMs, status: 201 }
      const { requests } = await loader.run({ ...load, durationMs: warmUpMs })
      const before = processorMs(pid)
      const result = await loader.run({ ...load, firstNumber: requests })
      const eachMs = (processorMs(pid) - before) / result.requests
      const count = editedDocuments.toLocaleString('en')
      const what = `PUT that changes a paragraph of 4 kB, ${editors} writers on ${count} documents`
      return [
        {
          what: `${what}: processor time of each`,
          workroom: milliseconds(eachMs),
          against: milliseconds(boundMs),
          ratio: (eachMs / boundMs).toFixed(2),
          target: `≤ ${boundMs} ms`,
          isMet: eachMs <= boundMs,
        },
        {
          what: 'The same: how many',
          workroom: perSecond(result.perSecond),
          against: '',
          ratio: '',
          target: '',
          isMet: null,
        },
      ]
    } finally {
      await loader.close()
    }
  })
