import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { databasePath } from '../../../data/home.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { startWorkroom } from '../../support/workroom.ts'

const disk = breakableDisk()
const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs } } })
const { request, clock, owner, home } = workroom
const project = '/v1/fs/projects/general'

const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const admin = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' }, 'general')
const lead = await workroom.addMember({ name: 'Lead', type: 'human' })
await workroom.workspace.stores.projects.join(
  workroom.workspace.stores.projects.find('general')!,
  lead.member,
  'lead',
)

const dayMs = 24 * 3_600_000
const put = (path: string, body: string, key = owner.key) => request('PUT', path, { body, key })
const trashOf = async (key = owner.key) => (await request('GET', `${project}/trash`, { key })).json.trash
const restore = (id: string, key = owner.key) => request('POST', `${project}/trash/${id}/_restore`, { key })

t.test('a document or card is deleted by its author, an owner or an admin, and by nobody else', async (t) => {
  for (const folder of ['docs', 'board/02-todo']) {
    const { path } = (await put(`${project}/${folder}/kept.md`, '# Kept\n', grace.key)).json
    for (const key of [
      lead.key,
      (await workroom.addMember({ name: `Bot ${folder}`, type: 'agent' }, 'general')).key,
    ]) {
      const { status, json } = await request('DELETE', path, { key })
      t.match([status, json], [403, { error: 'forbidden' }])
    }
    t.equal((await request('GET', path)).status, 200)
    for (const key of [grace.key, admin.key, owner.key]) {
      const { path, id, filename } = (await put(`${project}/${folder}/gone.md`, '# Gone\n', grace.key)).json
      const { status, json } = await request('DELETE', path, { key })
      t.strictSame([status, json], [200, { id, filename, deleted: true }])
      t.equal((await request('GET', path)).status, 404)
    }
  }
})

t.test('an agent deletes its own documents, with the scope for it', async (t) => {
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
  const reader = await workroom.workspace.stores.members.addKey(bot.member.id, { scopes: ['documents:read'] })
  const { path } = (await put(`${project}/docs/bots.md`, '# Bots\n', bot.key)).json
  const refused = await request('DELETE', path, { key: reader.key })
  t.match([refused.status, refused.json.message], [403, /documents:write/])
  t.equal((await request('DELETE', path, { key: bot.key })).status, 200)
})

t.test('deleted files are in trash/ on the disk, and are listed newest first', async (t) => {
  const { path, id, filename } = (await put(`${project}/docs/thrown.md`, '# Thrown\n\nText.\n')).json
  clock.advance(1000)
  await request('DELETE', path)
  t.notOk(existsSync(join(home, 'projects/general/documents', filename)))
  const [lying] = readdirSync(join(home, 'trash/general')).filter((name) => name.includes(id))
  t.equal(readFileSync(join(home, 'trash/general', lying!), 'utf8'), '# Thrown\n\nText.\n')
  t.strictSame((await trashOf())[0], {
    id,
    kind: 'document',
    filename: 'thrown.md',
    title: 'Thrown',
    deletedAt: clock.now(),
    deletedBy: 'Ada',
    path: `${project}/trash/${id}/_restore`,
  })
})

t.test(
  'a restored file is back in its place, with its id and history, and is no longer in the trash',
  async (t) => {
    const { path, id } = (await put(`${project}/docs/guides/back.md`, '# Back\n')).json
    await put(path, '# Back\n\nText.\n')
    await request('DELETE', path)
    const { status, json } = await restore(id)
    t.match([status, json], [201, { id, path, filename: 'guides/back.md' }])
    t.match((await request('GET', path)).text, /Text\.\n$/)
    t.equal((await request('GET', `${path}/_revisions`)).json.revisions.length, 2)
    t.notOk((await trashOf()).some((row: { id: string }) => row.id === id))
    t.equal((await restore(id)).status, 404)
  },
)

t.test('a name that was taken in the meantime gets a suffix', async (t) => {
  const { path, id } = (await put(`${project}/docs/same.md`, '# Same\n')).json
  await request('DELETE', path)
  const next = (await put(`${project}/docs/same.md`, '# Same\n\nNext.\n')).json
  t.not(next.id, id)
  t.match((await restore(id)).json, { id, filename: 'same-2.md' })
  t.match((await request('GET', `${project}/docs/same.md`)).text, /Next\.\n$/)
})

t.test('a file that somebody removed from trash/ is restored from its last revision', async (t) => {
  const { path, id } = (await put(`${project}/docs/lost.md`, '# Lost\n\nText.\n')).json
  await request('DELETE', path)
  rmSync(join(home, 'trash'), { recursive: true })
  t.equal((await restore(id)).status, 201)
  t.match((await request('GET', path)).text, /Text\.\n$/)
})

t.test('what an admin deleted can be restored by its author and the admin only', async (t) => {
  for (const [key, status] of [
    [lead.key, 403],
    [grace.key, 201],
    [admin.key, 201],
  ] as const) {
    const { path, id } = (await put(`${project}/docs/who.md`, '# Who\n', grace.key)).json
    await request('DELETE', path, { key: admin.key })
    t.equal((await restore(id, key)).status, status)
    if (status === 403) await restore(id)
    await request('DELETE', path)
  }
})

t.test('a deleted draft is seen and restored by its author alone', async (t) => {
  const { path, id } = (await put(`${project}/drafts/mine.md`, '# Mine\n', grace.key)).json
  await request('DELETE', path, { key: grace.key })
  t.notOk((await trashOf()).some((row: { id: string }) => row.id === id))
  t.equal((await restore(id)).status, 404)
  t.match((await trashOf(grace.key))[0], { id, kind: 'draft' })
  t.equal((await restore(id, grace.key)).status, 201)
  t.equal((await request('GET', path, { key: grace.key })).status, 200)
})

t.test('a key sees and restores only the kinds of files that its scopes allow', async (t) => {
  const bot = await workroom.addMember({ name: 'Scoped', type: 'agent' }, 'general')
  const card = (await put(`${project}/board/todo/scoped.md`, '# Scoped card\n', bot.key)).json
  const doc = (await put(`${project}/docs/scoped.md`, '# Scoped\n', bot.key)).json
  for (const { path } of [card, doc]) await request('DELETE', path, { key: bot.key })
  const { key } = await workroom.workspace.stores.members.addKey(bot.member.id, {
    scopes: ['documents:read', 'documents:write'],
  })
  const ids = (await trashOf(key)).map((row: { id: string }) => row.id)
  t.ok(ids.includes(doc.id))
  t.notOk(ids.includes(card.id))
  const refused = await restore(card.id, key)
  t.match([refused.status, refused.json.message], [403, /cards:write/])
  t.equal((await restore(doc.id, key)).status, 201)
  const none = await workroom.workspace.stores.members.addKey(bot.member.id, { scopes: ['rooms:read'] })
  t.match((await request('GET', `${project}/trash`, { key: none.key })).json, {
    error: 'forbidden',
    message: /scope/,
  })
})

t.test('a DELETE takes the conditions of a PUT', async (t) => {
  const { json, headers } = await put(`${project}/docs/if.md`, '# If\n')
  const remove = (value: string) => request('DELETE', json.path, { headers: { 'If-Match': value } })
  t.match([(await remove('"00000000000000000000"')).status, (await remove('junk')).status], [409, 422])
  t.equal((await request('DELETE', `${json.path}?expectedRevision=00000000000000000000`)).status, 409)
  t.equal((await remove(headers.etag!)).status, 200)
  t.equal((await remove(headers.etag!)).status, 404)
})

t.test('after 30 days a deleted file is purged, also on the disk', async (t) => {
  const { path, id } = (
    await put(`${project}/docs/late.md`, `# Late\n\n${'Word after word. '.repeat(1200)}\n`)
  ).json
  const db = new Sqlite(databasePath(home), { readonly: true })
  t.teardown(() => db.close())
  const rendered = () => db.prepare('SELECT 1 FROM rendered_documents WHERE document_id = ?').get(id)
  const caller = workroom.workspace.stores.members.authenticate(owner.key)!
  await workroom.workspace.rendering.documents.at(caller, {
    project: 'general',
    folder: 'documents',
    name: 'late.md',
  })
  // The HTML of a long document is stored with the next write.
  await workroom.eventually(async () => {
    await put(`${project}/docs/next.md`, '# Next\n')
    return rendered()
  })
  await request('DELETE', path)
  const lying = () => readdirSync(join(home, 'trash/general')).some((name) => name.includes(id))
  clock.advance(30 * dayMs - 1)
  t.ok((await trashOf()).some((row: { id: string }) => row.id === id))
  t.ok(lying())
  clock.advance(2)
  await workroom.eventually(() => !lying())
  t.notOk((await trashOf()).some((row: { id: string }) => row.id === id))
  t.equal((await restore(id)).status, 404)
  t.notOk(rendered(), 'its HTML is removed as well')
})

t.test(
  'a file in the trash that cannot be removed on the disk does not stop the others, and is logged',
  async (t) => {
    const ids = []
    for (const name of ['stuck', 'loose']) {
      const { path, id } = (await put(`${project}/docs/${name}.md`, `# ${name}\n`)).json
      await request('DELETE', path)
      clock.advance(1000)
      ids.push(id)
    }
    const [stuck, loose] = ids
    const lying = () => readdirSync(join(home, 'trash/general')).join()
    disk.fail('unlinkSync', 'EACCES', ([path]) => String(path).includes(stuck))
    clock.advance(30 * dayMs)
    await workroom.eventually(() => !lying().includes(loose))
    disk.mend()
    t.match(lying(), stuck)
    t.ok(
      workroom.log.lines.some(({ message }) => message.includes('documents/stuck.md is still on the disk')),
    )
    t.match((await findDifferences(home)).findings, [
      {
        path: `trash/general/${stuck}-stuck.md`,
        problem: /belongs to no deleted document/,
        mend: 'Remove it.',
      },
    ])
  },
)
