import { join } from 'node:path'
import t from 'tap'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { builtCode } from '../../support/built-code.ts'
import { request } from '../../support/http-client.ts'
import type { EventView } from '../../support/live-events.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { testFolder } from '../../support/test-folder.ts'
import { type ChildServer, childServers } from '../durability/child-server.ts'

const code = await builtCode(t)
const random = seededRandom('events-kill')
const below = (limit: number) => random(1)[0]! % limit

const docs = '/v1/fs/projects/general/docs'

t.test('a reader goes on through kills, and gets every answered change exactly once', async (t) => {
  const home = join(testFolder(t), 'home')
  const { key } = await createWorkspace({ home, name: 'Testers', owner: 'Ada' })
  const servers = childServers(t, { home, code })
  let server = await servers.start()
  const asOwner = (method: string, path: string, body?: unknown) =>
    request(server.url, method, path, { key, ...(body !== undefined && { body }) })
  const grace = (await asOwner('POST', '/api/members', { name: 'Grace', type: 'human', role: 'admin' })).json
  await asOwner('POST', '/v1/projects/general/members', { memberId: grace.member._id })
  const [{ _id: room }] = (await asOwner('GET', '/api/rooms')).json

  const received: EventView[] = []
  let cursor = 0
  /** Reads events once. @param wait in seconds @returns how many there were */
  const read = async (of: ChildServer, wait: number): Promise<number> => {
    const path = `/v1/events?since=${cursor}&wait=${wait}`
    const { json } = await request(of.url, 'GET', path, { key: grace.key })
    received.push(...json.events)
    cursor = json.cursor
    return json.events.length
  }
  const follow = async (of: ChildServer) => {
    for (;;) await read(of, 25)
  }

  const answered: string[] = []
  let number = 0
  /** Writes until the server is gone. */
  const write = async (kind: 'message' | 'document', killAfter: number) => {
    for (let written = 0; ; written++) {
      number += 1
      const response =
        kind === 'message'
          ? await asOwner('POST', `/api/rooms/${room}/messages`, { body: `Number ${number}` })
          : await asOwner('PUT', `${docs}/number-${number}.md`, `# Number ${number}\n`)
      if (response.status !== 201) throw new Error(response.text)
      answered.push(response.json.messageId ?? response.json.id)
      if (written === killAfter) setTimeout(() => server.kill(), below(5))
    }
  }

  for (let round = 0; round < 4; round++) {
    const working = [
      follow(server),
      write('message', 10 + below(20)),
      write('message', 100),
      write('document', 100),
    ]
    const ends = await Promise.allSettled(working)
    for (const end of ends) t.match(end, { reason: { code: /ECONNRESET|ECONNREFUSED|EPIPE/ } })
    await server.gone
    server = await servers.start()
  }
  // After the commit, before any reader gets the event.
  await server.dieAt({ step: 'linkSync', when: 'before' })
  // Either may be the first to fail, so both are awaited.
  await Promise.all([
    t.rejects(follow(server), { code: /ECONNRESET|ECONNREFUSED/ }),
    t.rejects(asOwner('PUT', `${docs}/last.md`, '# Last\n'), { code: /ECONNRESET|EPIPE/ }),
  ])
  server = await servers.start()
  while ((await read(server, 0)) > 0);

  const ids = received.map(({ messageId, docId }) => messageId ?? docId)
  t.ok(answered.length > 40, `${answered.length} writes were answered`)
  t.same(
    answered.filter((id) => !ids.includes(id)),
    [],
    'no answered change is missing',
  )
  t.equal(new Set(ids).size, ids.length, 'no event comes twice')
  const { documents } = (await asOwner('GET', docs)).json
  const written = received.filter(
    ({ docType, path }) => docType === 'note' && /number-|last/.test(String(path)),
  )
  t.same(
    written.map(({ docId }) => docId).toSorted(),
    documents
      .filter(({ filename }: { filename: string }) => /number-|last/.test(filename))
      .map(({ id }: { id: string }) => id)
      .toSorted(),
    'an unanswered write has both file and event, or neither',
  )
})
