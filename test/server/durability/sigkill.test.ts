import { Agent } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { examine } from '../../../core/doctor.ts'
import { treePath } from '../../../core/documents/places.ts'
import { createWorkspace } from '../../../core/setup.ts'
import { type Answer, request } from '../../support/http-client.ts'
import { plainCode } from '../../support/plain-code.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { type ChildServer, childServers } from './child-server.ts'
import { Ledger, type Records, recordsOf } from './ledger.ts'
import { type Write, writers } from './writers.ts'

/** Of one home; there are two, side by side. */
const kills = 25
t.setTimeout(240_000)
const code = await plainCode(t)
t.jobs = 2

for (const name of ['one', 'another']) {
  t.test(
    `a server that is killed ${kills} times while many write keeps all that it answered, and no half of anything: ${name}`,
    { buffered: true },
    (t) => killOften(t, name),
  )
}

async function killOften(t: Test, name: string): Promise<void> {
  const random = seededRandom(`sigkill ${name}`)
  const below = (limit: number) => Buffer.from(random(4)).readUInt32BE() % limit
  const home = join(t.testdir(), 'home')
  const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
  const ledger = new Ledger(home)
  const everybody = writers(home, ledger)
  const servers = childServers(t, { home, code })
  let server = await servers.start()
  let answered = 0
  let checkedTick = 0
  for (let round = 0; round < kills; round++) {
    answered += await writeUntilKilled(server, key, everybody, { answers: 5 + below(20), ms: below(6) })
    server = await servers.start()
    const records = recordsOf(home)
    t.same(ledger.differences(records), [], `kill ${round + 1}`)
    t.same((await examine(home)).findings, [])
    const isLast = round === kills - 1
    t.same(await unreadable(server.url, key, records, isLast ? 0 : checkedTick), [])
    checkedTick = records.events.at(-1)!.tick
  }
  t.ok(answered > kills * 5, `${answered} writes were answered`)
}

/**
 * All write at the same time, until the server is killed: so many milliseconds after so many answers.
 * @returns how many requests were answered
 */
async function writeUntilKilled(
  server: ChildServer,
  key: string,
  everybody: Write[],
  after: { answers: number; ms: number },
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let answered = 0
  let isKilled = false
  const asOwner = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await request(server.url, method, path, { key, body, agent })
    answered += 1
    if (answered === after.answers) setTimeout(() => server.kill(), after.ms)
    return answer
  }
  void server.gone.then(() => {
    isKilled = true
  })
  const failures: unknown[] = []
  await Promise.all(
    everybody.map(async (write) => {
      while (!isKilled) {
        try {
          await write(asOwner)
        } catch (error) {
          // A connection that breaks off has the system's code; anything else is an answer that should not have been.
          if (!(error instanceof Error && 'code' in error)) failures.push(error)
          server.kill()
          await server.gone
        }
      }
    }),
  )
  await server.gone
  agent.destroy()
  if (failures.length > 0) throw failures[0]
  return answered
}

/** The documents with events behind a tick that are not read over HTTP as the database and the disk have them. */
async function unreadable(
  url: string,
  key: string,
  { documents, events }: Records,
  behindTick: number,
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  for (const id of new Set(
    events.filter(({ tick }) => tick > behindTick).map(({ documentId }) => documentId),
  )) {
    const row = documents.get(id)!
    if (row.kind === 'home') continue
    const answer = await request(url, 'GET', treePath({ slug: 'general' }, row), { key, agent })
    const isAsKept =
      answer.status === 200 &&
      answer.headers['x-service-revision'] === row.revision &&
      answer.text.includes(`id: ${id}\n`)
    // Another document may have taken the name of a deleted one.
    const isGone = answer.status === 404 || !answer.text.includes(`id: ${id}\n`)
    if (row.deletedMs === null ? !isAsKept : !isGone) wrong.push(`${row.path}: ${answer.status}`)
  }
  agent.destroy()
  return wrong
}
