import { Agent } from 'node:http'
import { fileURLToPath } from 'node:url'
import { findDifferences } from '../../core/doctor/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { programFile } from '../../data/program.ts'
import { type ChildServer, type ChildServers, childServers } from '../server/durability/child-server.ts'
import { unreadable } from '../server/durability/kill-rounds.ts'
import { Ledger, recordsOf } from '../server/durability/ledger.ts'
import { type Write, writers } from '../server/durability/writers.ts'
import { request } from '../support/http-client.ts'
import { AcknowledgedFacts } from './acknowledged-facts.ts'
import type { CampaignRun } from './campaign.ts'
import { type MixedWriters, openMixedWriters } from './mixed-writers.ts'

/** How many earlier facts are checked after each end. */
const earlierFacts = 20
/** How long a start may take to finish its work on a busy machine. */
const timeoutMs = 20_000

export interface AttackedHome {
  home: string
  key: string
  ledger: Ledger
  facts: AcknowledgedFacts
  mixedWriters: MixedWriters
  everybody: Write[]
  servers: ChildServers
  close(): void
}

export interface AttackOptions {
  /** Whether a person also saves files, which nobody makes durable. */
  withPerson: boolean
  /** Called when the home exists, before its first server. */
  onMade?: () => Promise<void>
}

/** Creates a home and its writers. @param home the absolute path of a new folder */
export async function attackedHome(
  run: CampaignRun,
  home: string,
  { withPerson, onMade }: AttackOptions,
): Promise<AttackedHome> {
  const { key } = await createWorkspace({ home, name: 'Attacked', owner: 'Ada' })
  await onMade?.()
  const ledger = new Ledger(home)
  const facts = new AcknowledgedFacts(home, ledger)
  const cleanups: (() => unknown)[] = []
  const test = { teardown: (cleanup: () => unknown) => void cleanups.push(cleanup) }
  const code = fileURLToPath(programFile('.'))
  const servers = childServers(test, { home, code })
  const server = await servers.start()
  const rooms = await request(server.url, 'GET', '/api/rooms', { key })
  const roomId = rooms.json[0]._id as string
  server.kill()
  await server.gone
  const mixedWriters = openMixedWriters({ home, roomId, pick: run.pick, withPerson }, ledger, facts)
  const everybody = [...writers(home, ledger, { withPerson }), ...mixedWriters.everybody]
  const close = () => {
    for (const cleanup of cleanups) cleanup()
  }
  return { home, key, ledger, facts, mixedWriters, everybody, servers, close }
}

/**
 * Compares a served home with everything acknowledged.
 * @param checkedTick only documents with later events are read over HTTP
 * @returns a sentence for each difference
 */
export async function differencesOf(
  run: CampaignRun,
  { home, key, ledger, facts }: AttackedHome,
  server: ChildServer,
  checkedTick: number,
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const get = (path: string) => request(server.url, 'GET', path, { key, agent })
  const endMs = performance.now() + timeoutMs
  try {
    for (;;) {
      const records = recordsOf(home)
      const found = [
        ...ledger.differences(records),
        ...(await findDifferences(home)).findings.map(({ path, problem }) => `${path}: ${problem}`),
        ...(await unreadable(server.url, key, records, checkedTick)),
        ...(await facts.broken(get, earlierFacts, run.below)),
      ]
      // A save at the very end becomes a revision only a moment after the start.
      if (found.length === 0 || performance.now() > endMs) {
        facts.settle()
        return found
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    agent.destroy()
  }
}

export const lastTick = (home: string): number => recordsOf(home).events.at(-1)?.tick ?? 0
