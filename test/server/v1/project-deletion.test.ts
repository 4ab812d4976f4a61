import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const dayMs = 24 * 60 * 60 * 1000
const workroom = await startWorkroom(t)
const { clock, home, owner, request } = workroom
const lead = await workroom.addMember({ name: 'Lea', type: 'human' })
const folder = (name: string) => join(home, 'projects', name)

const asOwner = { key: owner.key }
const put = (path: string, body: string) =>
  request('PUT', path, { body, headers: { 'Content-Type': 'text/markdown' } })
const remove = (slug: string, name?: string, { key } = asOwner) =>
  request('DELETE', `/v1/projects/${slug}${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`, {
    key,
  })
const restore = (id: string) => request('POST', `/v1/projects/${id}/_restore`)
const deleted = async () => (await request('GET', '/v1/projects?deleted=1')).json.projects

/** Creates a project with a document, a room and an ask. */
async function newProject(name: string) {
  const { project } = (await request('POST', '/v1/projects', { body: { name } })).json
  const { _id: id, slug } = project as { _id: string; slug: string }
  await request('POST', `/v1/projects/${id}/members`, { body: { memberId: lead.member.id, role: 'lead' } })
  const { json } = await put(`/v1/fs/projects/${slug}/docs/tides.md`, `# Tides\n\nHigh zanzibar${slug}.\n`)
  const { _id: roomId } = (
    await request('POST', '/api/rooms', { body: { name: `Crew ${name}`, type: 'open', project: id } })
  ).json
  const { askId } = (await request('POST', '/api/asks', { body: { project: id, title: 'Sort' } })).json
  return { id, slug, name, documentId: json.id as string, roomId, askId }
}

t.test('only an owner or admin can delete a project, and has to send its name', async (t) => {
  const { slug, name } = await newProject('Pier')
  t.match(await remove(slug, name, lead), { status: 403, json: { error: /owner or admin/ } })
  for (const wrong of [undefined, '', 'pier']) {
    t.match(await remove(slug, wrong), { status: 400, json: { error: /confirm its name/ } })
  }
  t.equal((await remove('nothing', 'x')).status, 404)
  t.ok(existsSync(join(folder(slug), 'documents/tides.md')))
  t.equal((await request('GET', '/v1/projects?deleted=1', lead)).status, 403)
})

t.test('nothing of a deleted project can be reached, and its folder is in the trash', async (t) => {
  const { id, slug, name, roomId, askId } = await newProject('Harbour')
  t.match(await remove(slug, name), { status: 200, json: { deleted: true } })
  t.notOk(existsSync(folder(slug)))
  t.ok(existsSync(join(home, 'trash', id, 'documents/tides.md')))
  for (const path of [
    `/v1/projects/${slug}`,
    `/v1/projects/${id}`,
    `/v1/fs/projects/${slug}`,
    `/v1/fs/projects/${slug}/docs`,
    `/v1/fs/projects/${slug}/docs/tides.md`,
    `/v1/fs/projects/${id}/docs/tides.md`,
  ]) {
    t.equal((await request('GET', path)).status, 404, path)
  }
  t.equal((await put(`/v1/fs/projects/${slug}/docs/new.md`, '# New\n')).status, 404)
  for (const path of [`/api/rooms/${roomId}/messages`, `/api/asks/${askId}`]) {
    t.ok([403, 404].includes((await request('GET', path)).status), path)
  }
  const { results } = (await request('GET', `/v1/search?q=zanzibar${slug}`)).json
  t.same(results, [])
  for (const path of ['/v1/projects?all=1', '/api/rooms?all=1', '/api/asks', '/v1/fs/projects']) {
    const { text } = await request('GET', path)
    for (const known of ['Harbour', roomId, askId]) t.notOk(text.includes(known), path)
  }
  const basic = { Authorization: `Basic ${Buffer.from(`x:${owner.key}`).toString('base64')}` }
  const dav = await request('GET', `/dav/projects/${slug}/documents/tides.md`, {
    key: undefined,
    headers: basic,
  })
  t.equal(dav.status, 404)
  const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)
  t.equal((await browser.open(`/projects/${slug}`)).status, 404)
  t.match((await browser.open('/projects')).text, /Deleted \(1\)[\s\S]*Harbour/)
  t.match(await deleted(), [{ _id: id, slug, name, deletedBy: 'Ada' }])
})

t.test('a restored project has all that it held', async (t) => {
  const { id, slug, name, documentId, roomId, askId } = await newProject('Quay')
  await remove(slug, name)
  await workroom.workspace.maintenance.scan()
  const back = await restore(id)
  t.match([back.status, back.json.project], [200, { _id: id, slug, name, role: 'lead' }])
  const read = await request('GET', `/v1/fs/projects/${slug}/docs/tides.md`)
  t.match([read.status, read.text], [200, `id: ${documentId}\n`])
  t.equal((await request('GET', `/api/rooms/${roomId}/messages`)).status, 200)
  t.equal((await request('GET', `/api/asks/${askId}`)).status, 200)
  t.equal((await request('GET', `/v1/projects/${slug}`, lead)).json.project.role, 'lead')
  t.equal((await put(`/v1/fs/projects/${slug}/docs/tides.md`, '# Tides\n\nLow.\n')).status, 201)
  const { events } = (await request('GET', `/v1/events?since=0&wait=0&doc=${documentId}&self=include`)).json
  t.notOk(events.some(({ type }: { type: string }) => type === 'doc.delete'))
  t.equal((await restore(id)).status, 404)
  t.match(workroom.workspace.maintenance.health(), [])
})

t.test('a deleted project keeps its slug, and a new folder of that name is another project', async (t) => {
  const { id, slug, name } = await newProject('Buoy')
  await remove(slug, name)
  t.equal((await request('POST', '/v1/projects', { body: { name: 'X', slug } })).status, 409)
  mkdirSync(join(folder(slug), 'documents'), { recursive: true })
  writeFileSync(join(folder(slug), 'documents/other.md'), '# Other\n')
  await workroom.workspace.maintenance.scan()
  t.equal((await request('GET', '/v1/fs/projects/buoy-2/docs/other.md')).status, 200)
  t.equal((await restore(id)).status, 200)
  t.ok(existsSync(join(folder('buoy-2'), 'documents/tides.md')), 'beside the folder that has its name now')
  t.match((await request('GET', `/v1/fs/projects/${slug}/docs/tides.md`)).text, 'zanzibarbuoy')
})

t.test('a crash between the row and the folder is repaired by the next start', async (t) => {
  const { id, slug, name } = await newProject('Jetty')
  await remove(slug, name)
  const inTrash = join(home, 'trash', id)
  await workroom.restart(() => renameSync(inTrash, folder(slug)))
  t.ok(existsSync(inTrash), 'the deletion is finished')
  t.equal((await request('GET', `/v1/projects/${slug}`)).status, 404)
  t.equal((await restore(id)).status, 200)
  await workroom.restart(() => renameSync(folder(slug), inTrash))
  t.notOk(existsSync(inTrash), 'the restoration is finished')
  t.equal((await request('GET', `/v1/fs/projects/${slug}/docs/tides.md`)).status, 200)
})

t.test('a draft due in a deleted project waits, and after 30 days everything is purged', async (t) => {
  const { id, slug, name, roomId } = await newProject('Mole')
  await request('POST', `/api/rooms/${roomId}/attachments?name=chart.pdf`, { body: 'chart' })
  const due = new Date(clock.now() + dayMs).toISOString()
  await put(`/v1/fs/projects/${slug}/drafts/next.md`, `---\nscheduledFor: ${due}\n---\n# Next\n`)
  await remove(slug, name)
  clock.advance(2 * dayMs)
  await workroom.workspace.maintenance.scan()
  t.match(readFileSync(join(home, 'trash', id, '.workroom'), 'utf8'), id)
  t.notOk(existsSync(join(home, 'trash', id, 'posts/next.md')))
  t.ok(existsSync(join(home, 'rooms', roomId)))
  clock.advance(29 * dayMs)
  await workroom.eventually(() => !existsSync(join(home, 'trash', id)))
  await workroom.eventually(() => !existsSync(join(home, 'rooms', roomId)))
  await workroom.eventually(async () => !(await deleted()).some(({ _id }: { _id: string }) => _id === id))
  t.equal((await restore(id)).status, 404)
  t.equal((await request('POST', '/v1/projects', { body: { name: 'Mole again', slug } })).status, 201)
  await workroom.restart()
  t.match(workroom.workspace.maintenance.health(), [])
})
