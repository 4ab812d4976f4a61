import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChildServer } from '../server/durability/child-server.ts'
import { writeUntil } from '../server/durability/kill-rounds.ts'
import { request } from '../support/http-client.ts'
import { type AttackedHome, attackedHome, differencesOf, lastTick } from './attacked-home.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { diskKinds, PowerCutDisk, powerCutProblem } from './power-cut-disk.ts'

/** Then a new disk begins, because comparing takes longer as a home grows. */
const cutsPerDisk = 25

/** Cuts the power while everybody writes. @returns the number of responses */
async function cutOnce(
  run: CampaignRun,
  { key, everybody, mixedWriters }: AttackedHome,
  { server, disk }: { server: ChildServer; disk: PowerCutDisk },
): Promise<number> {
  mixedWriters.nextRound()
  let isCut = false
  const end = () => {
    if (isCut) return
    isCut = true
    // No request may be answered between the cut and the kill.
    server.pause()
    disk.cutPower()
    server.kill()
  }
  const after = { answers: 1 + run.below(60), ms: run.below(4) }
  try {
    return await writeUntil(after, server, { key, everybody, end, isExpected: () => isCut })
  } finally {
    if (!isCut) disk.cutPower()
    await disk.restore()
  }
}

/** Checks a home whose power was cut right after its creation. @returns why it is unusable, or null */
async function problemOfNewHome({ key }: AttackedHome, server: ChildServer): Promise<string | null> {
  const path = '/v1/fs/projects/general/docs/welcome.md'
  const { status, text } = await request(server.url, 'GET', path, { key })
  return status === 200 ? null : `A home that was just made answers ${status}: ${text}`
}

async function cutDisk(run: CampaignRun, disk: PowerCutDisk, about: string): Promise<number> {
  let answered = 0
  const attacked = await attackedHome(run, join(disk.path, 'home'), {
    withPerson: false,
    onMade: async () => {
      disk.cutPower()
      await disk.restore()
    },
  })
  try {
    let server = await attacked.servers.start()
    const problem = await problemOfNewHome(attacked, server)
    if (problem !== null) run.failed(`${about}: ${problem}`)
    let checkedTick = 0
    for (let cut = 0; cut < cutsPerDisk && !run.isOver(); cut++) {
      answered += await cutOnce(run, attacked, { server, disk })
      server = await attacked.servers.start()
      for (const difference of await differencesOf(run, attacked, server, checkedTick)) {
        run.failed(`Cut ${cut + 1} of ${about}: ${difference}`)
      }
      checkedTick = lastTick(attacked.home)
      run.tried()
    }
    server.kill()
    await server.gone
    return answered
  } finally {
    attacked.close()
  }
}

export const powerCut: Campaign = {
  name: 'power-cut',
  about:
    'the power of a real disk is cut while everybody writes: all that was answered is there, and no half',
  minutes: 5,
  async attack(run) {
    const problem = powerCutProblem()
    if (problem !== null) {
      run.failed(problem)
      return
    }
    const { kinds, leftOut } = diskKinds()
    if (leftOut.length > 0) run.figure('left out', leftOut.join(', '))
    const cuts = new Map(kinds.map((kind) => [kind, 0]))
    let answered = 0
    for (let n = 0; !run.isOver(); n++) {
      const kind = kinds[n % kinds.length]!
      const folder = join(run.folder, String(n))
      const disk = new PowerCutDisk(folder, kind)
      try {
        answered += await cutDisk(run, disk, `disk ${n}, ${kind}`)
      } finally {
        disk.dispose()
      }
      rmSync(folder, { recursive: true })
      cuts.set(kind, (cuts.get(kind) ?? 0) + 1)
    }
    run.figure('disks', [...cuts].map(([kind, count]) => `${count} ${kind}`).join(', '))
    run.figure('answered requests', String(answered))
  },
}
