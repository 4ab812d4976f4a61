import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findDifferences } from '../../core/doctor/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { DavClients, type Deed } from './dav-clients.ts'
import { DavLedger } from './dav-ledger.ts'
import { MovedFolders } from './dav-moved-folders.ts'
import { DavServer } from './dav-server.ts'
import { rcloneVersion, runScenarios } from './rclone.ts'
import { scenarios as moves } from './rclone-moves.ts'
import { scenarios as names } from './rclone-names.ts'

/** How often a server is ended before a new home is begun: of replaced files the trash keeps the newest thousand. */
const endsPerHome = 6

export const dav: Campaign = {
  name: 'dav',
  about:
    'rclone, and clients of the mount, of HTTP and of the disk on one tree, with kills: nothing answered is lost, no move is half done',
  minutes: 10,
  async attack(run) {
    const version = rcloneVersion()
    run.figure('rclone', version ?? 'not installed, left out')
    if (version) await runScenarios(run, [...moves, ...names])
    const totals = { kills: 0, acknowledged: 0 }
    for (let round = 1; !run.isOver(); round++) await playRound(run, round, totals)
    run.figure('servers ended', `${totals.kills}`)
    run.figure('texts acknowledged', `${totals.acknowledged}`)
  },
}

/** Several clients on a new home, until the server has been ended several times. */
async function playRound(
  run: CampaignRun,
  round: number,
  totals: { kills: number; acknowledged: number },
): Promise<void> {
  const home = join(run.folder, `home-${round}`)
  const { key } = await createWorkspace({ home, name: 'Team', owner: 'Ada' })
  const desk = new DavServer(home, key)
  const ledger = new DavLedger(home)
  const convoys = new MovedFolders(run, desk)
  convoys.make(2, 1)
  await desk.start()
  await desk.send('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  await desk.dav('MKCOL', 'other/files')
  const clients = new DavClients(run, desk, ledger)
  const deeds = [...clients.deeds(), () => convoys.move()]
  try {
    await verify(run, desk, ledger, convoys)
    for (let end = 0; end < endsPerHome && !run.isOver(); end++) {
      const how = run.below(4) === 0 ? 'close' : 'kill'
      await workUntilEnded(desk, deeds, how, 300 + run.below(2500))
      totals.kills += 1
      await desk.start()
      await verify(run, desk, ledger, convoys)
    }
  } finally {
    await desk.stop('kill')
    totals.acknowledged += ledger.size
  }
}

/** All clients work at once, until the server is ended under them. */
async function workUntilEnded(
  desk: DavServer,
  deeds: Deed[],
  how: 'kill' | 'close',
  afterMs: number,
): Promise<void> {
  desk.wasCut = false
  let isEnded = false
  const ended = pause(afterMs).then(async () => {
    isEnded = true
    await desk.stop(how)
  })
  await Promise.all(
    deeds.map(async (deed) => {
      while (!isEnded) {
        try {
          await deed()
        } catch (error) {
          // A connection that breaks off has the system's code; anything else is a fault of this campaign.
          if (!(error instanceof Error && 'code' in error)) throw error
          desk.wasCut = true
          await pause(5)
        }
      }
    }),
  )
  await ended
}

/** Compares what is there with what was answered, once the server has taken in what happened on the disk. */
async function verify(
  run: CampaignRun,
  desk: DavServer,
  ledger: DavLedger,
  convoys: MovedFolders,
): Promise<void> {
  let findings: string[] = []
  const isAgreed = await desk.settled(async () => {
    findings = (await findDifferences(desk.home)).findings.map(({ path, problem }) => `${path}: ${problem}`)
    return findings.length === 0
  })
  if (!isAgreed) run.failed(`doctor finds ${findings.slice(0, 5).join('; ')}`)
  for (const how of ledger.lost()) run.failed(`what was acknowledged is lost: ${how}`)
  convoys.check()
}
