import { join } from 'node:path'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { builtCode } from '../../support/built-code.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { testFolder } from '../../support/test-folder.ts'
import { childServers } from './child-server.ts'
import { unreadable, writeUntil } from './kill-rounds.ts'
import { Ledger, recordsOf } from './ledger.ts'
import { writers } from './writers.ts'

/** At any moment. `kill-points.test.ts` kills at chosen ones, and `npm run hostile -- kill` far more often. */
const kills = 12
const code = await builtCode(t)

t.test(
  `a server killed ${kills} times during many writes keeps all that it answered, and nothing half done`,
  async (t) => {
    const random = seededRandom('sigkill')
    const below = (limit: number) => Buffer.from(random(4)).readUInt32BE() % limit
    const home = join(testFolder(t), 'home')
    const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
    const ledger = new Ledger(home)
    const everybody = writers(home, ledger)
    const servers = childServers(t, { home, code })
    let server = await servers.start()
    let answered = 0
    let checkedTick = 0
    for (let round = 0; round < kills; round++) {
      const after = { answers: 5 + below(20), ms: below(6) }
      answered += await writeUntil(after, server, { key, everybody })
      server = await servers.start()
      const records = recordsOf(home)
      t.same(ledger.differences(records), [], `kill ${round + 1}`)
      t.same((await findDifferences(home)).findings, [])
      const isLast = round === kills - 1
      t.same(await unreadable(server.url, key, records, isLast ? 0 : checkedTick), [])
      checkedTick = records.events.at(-1)!.tick
    }
    t.ok(answered > kills * 5, `${answered} writes were answered`)
  },
)
