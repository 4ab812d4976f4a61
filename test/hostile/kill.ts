import { mkdirSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { examine } from '../../core/doctor.ts'
import { createWorkspace } from '../../core/setup.ts'
import { programFile } from '../../data/program.ts'
import { type ChildServer, type ChildServers, childServers } from '../server/durability/child-server.ts'
import { unreadable, writeUntil } from '../server/durability/kill-rounds.ts'
import type { Moment } from '../server/durability/killable-server.ts'
import { Ledger, recordsOf } from '../server/durability/ledger.ts'
import { type Write, writers } from '../server/durability/writers.ts'
import { request } from '../support/http-client.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { type ClaimingWriters, claimingWriters } from './claiming-writers.ts'
import { Claims } from './claims.ts'

/** Of one home: what is compared grows with it, and a kill is to be cheap. */
const killsPerHome = 40
/** So many of what was answered before the last kill are looked for after each. */
const others = 20
/** What a start has to finish may take so long, on a busy machine. */
const patienceMs = 20_000

/** A home with all that is known of it. */
export interface Attacked {
  home: string
  key: string
  ledger: Ledger
  claims: Claims
  claiming: ClaimingWriters
  everybody: Write[]
  servers: ChildServers
  close(): void
}

/** Makes a home, and those who are to write in it. @param home absolute path of a folder that is not there */
export async function attackedHome(run: CampaignRun, home: string): Promise<Attacked> {
  const { key } = await createWorkspace({ home, name: 'Attacked', owner: 'Ada' })
  const ledger = new Ledger(home)
  const claims = new Claims(home, ledger)
  const cleanups: (() => unknown)[] = []
  const ending = { teardown: (cleanup: () => unknown) => void cleanups.push(cleanup) }
  const code = fileURLToPath(programFile('.'))
  const servers = childServers(ending, { home, code })
  const server = await servers.start()
  const rooms = await request(server.url, 'GET', '/api/rooms', { key })
  const roomId = rooms.json[0]._id as string
  server.kill()
  await server.gone
  const claiming = claimingWriters({ home, roomId, pick: run.pick }, ledger, claims)
  const everybody = [...writers(home, ledger), ...claiming.everybody]
  const close = () => {
    for (const cleanup of cleanups) cleanup()
  }
  return { home, key, ledger, claims, claiming, everybody, servers, close }
}

/**
 * Compares a served home with all that was answered.
 * @param checkedTick only documents with later events are read over HTTP
 * @returns in words, what is not as it was answered
 */
export async function differencesOf(
  run: CampaignRun,
  { home, key, ledger, claims }: Attacked,
  server: ChildServer,
  checkedTick: number,
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const get = (path: string) => request(server.url, 'GET', path, { key, agent })
  const endMs = performance.now() + patienceMs
  try {
    for (;;) {
      const records = recordsOf(home)
      const found = [
        ...ledger.differences(records),
        ...(await examine(home)).findings.map(({ path, problem }) => `${path}: ${problem}`),
        ...(await unreadable(server.url, key, records, checkedTick)),
        ...(await claims.broken(get, others, run.below)),
      ]
      // What somebody may have been saving at the end is a revision a moment after the start.
      if (found.length === 0 || performance.now() > endMs) {
        claims.settle()
        return found
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    agent.destroy()
  }
}

export const lastTick = (home: string): number => recordsOf(home).events.at(-1)?.tick ?? 0

const steps: Moment['step'][] = [
  'writeSync',
  'symlinkSync',
  'linkSync',
  'renameSync',
  'unlinkSync',
  'fsync',
  'COMMIT',
]

/** Kills the server of a home while everybody writes. @returns how many requests were answered */
async function killOnce(run: CampaignRun, attacked: Attacked, server: ChildServer): Promise<number> {
  const { key, everybody, claiming } = attacked
  claiming.nextRound()
  const after = { answers: 3 + run.below(50), ms: run.below(10) }
  const end = () => {
    if (run.below(3) > 0) server.kill()
    else {
      // Steps of a write that are over within microseconds are never met by chance.
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
  async attack(run) {
    let answered = 0
    for (let n = 0; !run.isOver(); n++) {
      const folder = join(run.folder, String(n))
      mkdirSync(folder)
      const attacked = await attackedHome(run, join(folder, 'home'))
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
    run.figure('answered requests', String(answered))
  },
}
