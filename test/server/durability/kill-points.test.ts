import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { builtCode } from '../../support/built-code.ts'
import { eventsOf } from '../../support/event-log.ts'
import { stagedFiles } from '../../support/home-state.ts'
import { request } from '../../support/http-client.ts'
import { testFolder } from '../../support/test-folder.ts'
import { childServers } from './child-server.ts'
import type { Moment } from './killable-server.ts'

interface Point extends Moment {
  promise: string
  /** Whether the write is there after the restart. */
  isKept: boolean
  /** Whether the process dies after the answer, when the file is made durable. */
  isAnswered?: boolean
}

const points: Point[] = [
  {
    promise: 'with half of the bytes staged, nothing has happened',
    step: 'writeSync',
    when: 'half',
    isKept: false,
  },
  { promise: 'with all bytes staged, nothing has happened', step: 'COMMIT', when: 'before', isKept: false },
  {
    promise: 'after the commit, before the old file is displaced, the start finishes the write',
    step: 'renameSync',
    when: 'before',
    isKept: true,
  },
  {
    promise: 'with the old file displaced, before its stamp is read, the start finishes the write',
    step: 'renameSync',
    when: 'after',
    isKept: true,
  },
  {
    promise: 'with the old file displaced and none in its place, the start finishes the write',
    step: 'linkSync',
    when: 'before',
    isKept: true,
  },
  {
    promise: 'with the new file placed and its stamp unknown, the write is kept',
    step: 'linkSync',
    when: 'after',
    isKept: true,
  },
  {
    promise: 'before the file is durable, an answered write is kept',
    step: 'fsync',
    when: 'before',
    isKept: true,
    isAnswered: true,
  },
  {
    promise: 'before the checkpoint is committed, an answered write is kept',
    step: 'COMMIT',
    when: 'before',
    isKept: true,
    isAnswered: true,
  },
]

const code = await builtCode(t)

t.test('a server is killed at a chosen point', async (t) => {
  const home = join(testFolder(t), 'home')
  const { key, member } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
  const servers = childServers(t, { home, code })
  let server = await servers.start()
  const url = () => `${server.url}/v1/fs/projects/general/docs/plan.md`
  const put = (body: string) => request(server.url, 'PUT', new URL(url()).pathname, { key, body })
  const get = () => request(server.url, 'GET', new URL(url()).pathname, { key })
  const path = join(home, 'projects/general/documents/plan.md')

  let standing = '# Plan\n\nNumber 0.\n'
  const { id } = (await put(standing)).json
  for (const [index, { promise, isKept, isAnswered = false, ...moment }] of points.entries()) {
    await t.test(promise, async (t) => {
      const before = eventsOf(home)
      const body = `# Plan\n\nNumber ${index + 1}.\n`
      await server.dieAt({ ...moment, isOncePlaced: isAnswered })
      if (isAnswered) t.equal((await put(body)).status, 201)
      else await t.rejects(put(body), { code: /ECONNRESET|EPIPE/ })
      await server.gone
      server = await servers.start()

      if (isKept) standing = body
      t.equal(readFileSync(path, 'utf8'), standing)
      const read = await get()
      t.match(read, { status: 200, text: `id: ${id}\n` })
      t.ok(read.text.endsWith(standing))
      const after = eventsOf(home)
      t.same(after.slice(0, before.length), before)
      t.match(
        after.slice(before.length),
        isKept ? [{ type: 'doc.write', documentId: id, actorId: member.id, via: 'api' }] : [],
      )
      t.equal(after.length, before.length + (isKept ? 1 : 0))
      t.same(stagedFiles(home), [])
      t.same((await findDifferences(home)).findings, [])
    })
  }
})
