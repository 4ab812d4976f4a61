import { fileURLToPath } from 'node:url'
import { programFile } from '../../data/program.ts'
import { EditedDocument } from '../server/live/edited-document.ts'
import { KilledServer } from '../server/live/killed-server.ts'
import { type Campaign, choicesOf } from './campaign.ts'

/** With more, a document runs out of unique letters, and failures are hard to read. */
const killsPerDocument = 10
/** Long enough for a server to save between two kills at times. */
const maxLifeMs = 2500

export const live: Campaign = {
  name: 'live',
  about:
    'four people type in one text, beside programs and saves on the disk, and the server is killed: no letter is lost or doubled',
  minutes: 5,
  async attack(run) {
    const cleanups: (() => unknown)[] = []
    const teardown = (end: () => unknown) => void cleanups.push(end)
    const server = await KilledServer.start(run.folder, fileURLToPath(programFile('.')), teardown)
    let letters = 0
    let acknowledged = 0
    const writes = new Map<string, number>()
    try {
      const signin = await server.signIn()
      for (let round = 0; !run.isOver(); round++) {
        const choices = choicesOf(`live ${run.seed} ${round}`)
        const name = `text-${round}`
        const signins = [signin, signin, signin, signin]
        const document = await EditedDocument.create(server, choices, { name, signins })
        const differences = await document.differences({
          maxLifeMs,
          kills: killsPerDocument,
          // Only people write every other text.
          withOthers: round % 2 === 1,
          onKill: () => run.tried(),
        })
        for (const difference of differences) run.failed(`${name}: ${difference}`)
        letters += document.letters.written
        acknowledged += document.acknowledged
        for (const [kind, count] of document.writers.counts) writes.set(kind, (writes.get(kind) ?? 0) + count)
      }
    } finally {
      for (const end of cleanups) end()
    }
    run.figure('letters written', String(letters))
    run.figure('of these confirmed before the kill after them', String(acknowledged))
    run.figure('by others', [...writes].map(([kind, count]) => `${kind} ${count}`).join(', '))
  },
}
