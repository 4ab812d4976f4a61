import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { builtCode } from '../../support/built-code.ts'
import { eventsOf } from '../../support/event-log.ts'
import { stagedFiles } from '../../support/home-state.ts'
import { request } from '../../support/http-client.ts'
import { childServers } from './child-server.ts'
import type { Moment } from './killable-server.ts'

t.setTimeout(240_000)

interface Point extends Moment {
  promise: string
  /** Whether the write stands after the restart. */
  stands: boolean
  /** It dies behind the answer, when the file is made durable. */
  isAnswered?: boolean
}

const points: Point[] = [
  {
    promise: 'with half of the bytes staged, nothing has happened',
    step: 'writeSync',
    when: 'half',
    stands: false,
  },
  { promise: 'with all bytes staged, nothing has happened', step: 'COMMIT', when: 'before', stands: false },
  { promise: 'after the commit, the write is finished', step: 'symlinkSync', when: 'before', stands: true },
  {
    promise: 'before the old file is set aside, the write is finished',
    step: 'renameSync',
    when: 'before',
    stands: true,
  },
  {
    promise: 'with the old file set aside and nothing in its place, the write is finished',
    step: 'linkSync',
    when: 'before',
    stands: true,
  },
  {
    promise: 'with the new file in place, before its stamp is known, the write stands',
    step: 'linkSync',
    when: 'after',
    stands: true,
  },
  {
    promise: 'before the file is durable, an answered write stands',
    step: 'fsync',
    when: 'before',
    stands: true,
    isAnswered: true,
  },
  {
    promise: 'before the checkpoint is committed, an answered write stands',
    step: 'COMMIT',
    when: 'before',
    stands: true,
    isAnswered: true,
  },
]

const code = await builtCode(t)

t.test('a server that is killed at a chosen point', async (t) => {
  const home = join(t.testdir(), 'home')
  const { key, member } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
  const servers = childServers(t, { home, code })
  let server = await servers.start()
  const url = () => `${server.url}/v1/fs/projects/general/docs/plan.md`
  const put = (body: string) => request(server.url, 'PUT', new URL(url()).pathname, { key, body })
  const get = () => request(server.url, 'GET', new URL(url()).pathname, { key })
  const path = join(home, 'projects/general/documents/plan.md')

  let standing = '# Plan\n\nNumber 0.\n'
  const { id } = (await put(standing)).json
  for (const [index, { promise, stands, isAnswered = false, ...moment }] of points.entries()) {
    await t.test(promise, async (t) => {
      const before = eventsOf(home)
      const body = `# Plan\n\nNumber ${index + 1}.\n`
      if (isAnswered) t.equal((await put(body)).status, 201)
      await server.dieAt(moment)
      if (!isAnswered) await t.rejects(put(body), { code: /ECONNRESET|EPIPE/ })
      await server.gone
      server = await servers.start()

      if (stands) standing = body
      t.equal(readFileSync(path, 'utf8'), standing)
      const read = await get()
      t.match(read, { status: 200, text: `id: ${id}\n` })
      t.ok(read.text.endsWith(standing))
      const after = eventsOf(home)
      t.same(after.slice(0, before.length), before)
      t.match(
        after.slice(before.length),
        stands ? [{ type: 'doc.write', documentId: id, actorId: member.id, via: 'api' }] : [],
      )
      t.equal(after.length, before.length + (stands ? 1 : 0))
      t.same(stagedFiles(home), [])
      t.same((await findDifferences(home)).findings, [])
    })
  }
})
