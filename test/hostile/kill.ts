import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { ChildServer } from '../server/durability/child-server.ts'
import { writeUntil } from '../server/durability/kill-rounds.ts'
import type { Moment } from '../server/durability/killable-server.ts'
import { type AttackedHome, attackedHome, differencesOf, lastTick } from './attacked-home.ts'
import { type Campaign, type CampaignRun, choicesOf } from './campaign.ts'

/** Then a new home begins, because comparing takes longer as a home grows. */
const killsPerHome = 40

/** The homes attacked at once; a kill is mostly waiting for the disk and for a start. */
const concurrentHomes = Math.max(2, availableParallelism())

const steps: Moment['step'][] = [
  'writeSync',
  'symlinkSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
  'fsync',
  'COMMIT',
]

/** Kills the server of a home while everybody writes. @returns the number of responses */
async function killOnce(run: CampaignRun, attacked: AttackedHome, server: ChildServer): Promise<number> {
  const { key, everybody, mixedWriters } = attacked
  mixedWriters.nextRound()
  const after = { answers: 3 + run.below(50), ms: run.below(10) }
  const end = () => {
    if (run.below(3) > 0) server.kill()
    else {
      // A random kill never hits the steps of a write that take only microseconds.
      const moment: Moment = { step: run.pick(steps), when: run.pick(['before', 'after'] as const) }
      void server.dieAt(moment).catch(() => {})
      setTimeout(() => server.kill(), 1000).unref()
    }
  }
  return writeUntil(after, server, { key, everybody, end })
}

export const kill: Campaign = {
  name: 'kill',
  about:
    'a server is killed at any moment while everybody writes: all that was answered is there, and no half',
  minutes: 5,
  async attack(campaignRun) {
    let answered = 0
    let homes = 0
    let isBroken = false
    const isOver = () => isBroken || campaignRun.isOver()
    const attackHome = async (n: number) => {
      const run = { ...campaignRun, ...choicesOf(`kill ${campaignRun.seed} ${n}`), isOver }
      const folder = join(run.folder, String(n))
      mkdirSync(folder)
      const attacked = await attackedHome(run, join(folder, 'home'), { withPerson: true })
      try {
        let server = await attacked.servers.start()
        let checkedTick = 0
        for (let kill = 0; kill < killsPerHome && !run.isOver(); kill++) {
          answered += await killOnce(run, attacked, server)
          while (run.below(10) === 0) await attacked.servers.startAndKill(run.below(300))
          server = await attacked.servers.start()
          for (const difference of await differencesOf(run, attacked, server, checkedTick)) {
            run.failed(`Kill ${kill + 1} of home ${n}: ${difference}`)
          }
          checkedTick = lastTick(attacked.home)
          run.tried()
        }
        server.kill()
        await server.gone
      } finally {
        attacked.close()
      }
      rmSync(folder, { recursive: true })
    }
    const attackHomes = async () => {
      try {
        while (!isOver()) await attackHome(homes++)
      } finally {
        // If one fails, the others must not continue in a folder that is removed.
        isBroken = true
      }
    }
    const ended = await Promise.allSettled(Array.from({ length: concurrentHomes }, attackHomes))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
    campaignRun.figure('answered requests', String(answered))
  },
}
