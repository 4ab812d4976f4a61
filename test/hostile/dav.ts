import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findDifferences } from '../../core/doctor/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { type Action, DavClients } from './dav-clients.ts'
import { DavLedger } from './dav-ledger.ts'
import { MovedFolders } from './dav-moved-folders.ts'
import { DavServer } from './dav-server.ts'
import { rcloneVersion, ScenarioRun } from './rclone.ts'
import { scenarios as moves } from './rclone-moves.ts'
import { scenarios as names } from './rclone-names.ts'

/** Then a new home begins, because the trash keeps only the newest thousand replaced files. */
const endsPerHome = 6

interface Totals {
  kills: number
  closes: number
  requests: number
  acknowledged: number
}

export const dav: Campaign = {
  name: 'dav',
  about:
    'rclone, and clients of the mount, of HTTP and of the disk on one tree, with kills: nothing answered is lost, no move is half done',
  minutes: 10,
  async attack(run) {
    const version = rcloneVersion()
    run.figure('rclone', version ?? 'not installed, left out')
    const scenarios = new ScenarioRun(run, version ? [...moves, ...names] : [])
    const totals: Totals = { kills: 0, closes: 0, requests: 0, acknowledged: 0 }
    const spentMs = { scenarios: 0, rounds: 0 }
    const timed = async (part: keyof typeof spentMs, work: () => Promise<void>) => {
      const startedMs = performance.now()
      await work()
      spentMs[part] += performance.now() - startedMs
    }
    try {
      // The part that has had less time is next, so that even a short run has both.
      for (let round = 1; !run.isOver(); ) {
        if (scenarios.remaining > 0 && spentMs.scenarios <= spentMs.rounds) {
          await timed('scenarios', () => scenarios.playNext())
        } else {
          await timed('rounds', () => playRound(run, round++, totals))
        }
      }
    } finally {
      await scenarios.close()
    }
    run.figure('scenarios', `${scenarios.played} of ${scenarios.played + scenarios.remaining} played`)
    run.figure('requests of clients', `${totals.requests}`)
    run.figure('servers killed', `${totals.kills}`)
    run.figure('servers closed', `${totals.closes}`)
    run.figure('texts acknowledged', `${totals.acknowledged}`)
    if (totals.kills + totals.closes === 0) run.failed('No server was ended: the time was too short')
  },
}

/** Runs the clients on a new home until the server has been ended several times. */
async function playRound(run: CampaignRun, round: number, totals: Totals): Promise<void> {
  const home = join(run.folder, `home-${round}`)
  const { key } = await createWorkspace({ home, name: 'Team', owner: 'Ada' })
  const server = new DavServer(home, key)
  const ledger = new DavLedger(home)
  const movedFolders = new MovedFolders(run, server)
  movedFolders.make(2, 1)
  await server.start()
  await server.send('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  await server.dav('MKCOL', 'other/files')
  const tried = (count = 1) => {
    totals.requests += count
    run.tried(count)
  }
  const clients = new DavClients({ ...run, tried }, server, ledger)
  const actions = [...clients.actions(), () => movedFolders.move()]
  try {
    await verify(run, server, ledger, movedFolders)
    for (let end = 0; end < endsPerHome && !run.isOver(); end++) {
      const how = run.below(4) === 0 ? 'close' : 'kill'
      await workUntilEnded(server, actions, how, 300 + run.below(2500))
      totals[how === 'kill' ? 'kills' : 'closes'] += 1
      await server.start()
      await verify(run, server, ledger, movedFolders)
    }
  } finally {
    await server.stop('kill')
    totals.acknowledged += ledger.size
  }
}

/** Runs all clients at once until the server is ended. */
async function workUntilEnded(
  server: DavServer,
  actions: Action[],
  how: 'kill' | 'close',
  afterMs: number,
): Promise<void> {
  server.wasInterrupted = false
  let isEnded = false
  const ended = pause(afterMs).then(async () => {
    isEnded = true
    await server.stop(how)
  })
  await Promise.all(
    actions.map(async (action) => {
      while (!isEnded) {
        try {
          await action()
        } catch (error) {
          // A broken connection has a system code; any other error is a fault of this campaign.
          if (!(error instanceof Error && 'code' in error)) throw error
          server.wasInterrupted = true
          await pause(5)
        }
      }
    }),
  )
  await ended
}

/** Waits until the server has ingested the disk, and compares everything with what was acknowledged. */
async function verify(
  run: CampaignRun,
  server: DavServer,
  ledger: DavLedger,
  movedFolders: MovedFolders,
): Promise<void> {
  let findings: string[] = []
  const isConsistent = await server.waitFor(async () => {
    findings = (await findDifferences(server.home)).findings.map(({ path, problem }) => `${path}: ${problem}`)
    return findings.length === 0
  })
  if (!isConsistent) run.failed(`doctor finds ${findings.slice(0, 5).join('; ')}`)
  for (const how of ledger.lost()) run.failed(`what was acknowledged is lost: ${how}`)
  movedFolders.check()
}
