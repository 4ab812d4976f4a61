import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, milliseconds, perSecond } from './measured.ts'
import { startLoader } from './processes.ts'
import { processorMs } from './processor-time.ts'

const documents = 1000
const documentBytes = 4096
const writers = 32
const warmUpMs = 5000
const durationMs = 15_000
/** What a write may cost in processor time, all threads of the server together. */
const boundMs = 1.5

/** Writes that change one paragraph each, of many documents in turns: what they cost the server. */
export const edits: Bench = () =>
  withBenchWorkspace(async (workshop) => {
    const loader = startLoader()
    try {
      const { port, pid } = await workshop.serve()
      const create = async (first: number) => {
        for (let number = first; number < documents; number += writers) {
          const body = paragraphs.replaceAll('{d}', String(number))
          await workshop.request(port, 'PUT', `${docs}/edited-${number}.md`, { body })
        }
      }
      await Promise.all(Array.from({ length: writers }, (_, first) => create(first)))
      const load = {
        port,
        method: 'PUT',
        path: `${docs}/edited-{d}.md`,
        headers: workshop.authorization,
        body: `${paragraphs}\nTake {n} changes this paragraph, and leaves all others as they are.\n`,
        connections: writers,
        durationMs,
        status: 201,
        documents,
      }
      const { requests } = await loader.run({ ...load, durationMs: warmUpMs })
      const before = processorMs(pid)
      const result = await loader.run({ ...load, firstNumber: requests })
      const eachMs = (processorMs(pid) - before) / result.requests
      const what = `PUT that changes a paragraph of 4 kB, ${writers} writers on ${documents.toLocaleString('en')} documents`
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

/** A document of which no paragraph is in any other one. */
const paragraphs = (() => {
  let text = '# Document {d}\n\n- first things first in {d}\n- then the rest\n'
  for (let place = 1; text.length < documentBytes - 400; place++)
    text += `\nPart ${place} of {d}: the **room** keeps a copy of every page, and [the plan](plan.md) says who reads it, when, and what \`comes\` next. Whoever is late reads part ${place} of {d} once more, and _then_ answers.\n`
  return text
})()
