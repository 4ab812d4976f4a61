import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { findDifferences } from '../../../core/doctor/index.ts'
import { eventsOf } from '../../support/event-log.ts'
import { docs, openProjectFolder, remove } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const outside = join(workroom.home, 'outside')
mkdirSync(outside)
writeFileSync(join(outside, 'secret.md'), '# Secret\n')

const odd: Record<string, string> = {
  'link.md': 'a symbolic link is never followed',
  'link-within.md': 'a symbolic link is never followed',
  'link-to-folder.md': 'a symbolic link is never followed',
  'link-dangling.md': 'a symbolic link is never followed',
  'link-loop.md': 'a symbolic link is never followed',
  'pipe.md': 'a FIFO, not a regular file',
  'socket.md': 'a socket, not a regular file',
  'huge.md': 'it is too large',
}

/**
 * Binds a socket by its bare name from within its folder: a socket's address holds about a hundred bytes,
 * and the longer path of a deep checkout would be cut off without an error.
 */
async function listenOn(folder: string, name: string): Promise<Server> {
  const before = process.cwd()
  process.chdir(folder)
  const listener = createServer().listen(name)
  process.chdir(before)
  await once(listener, 'listening')
  return listener
}

/** Only root may make a device, and not on every machine. */
function makeDevice(path: string): boolean {
  return spawnSync('mknod', [path, 'c', '1', '3']).status === 0
}
if (makeDevice(workroom.at('documents/device.md'))) odd['device.md'] = 'a device, not a regular file'

t.test('what is not a regular file is never followed, read or waited for', async (t) => {
  const plan = await workroom.put('Plan')
  const at = (name: string) => workroom.at(`documents/${name}`)
  symlinkSync(join(outside, 'secret.md'), at('link.md'))
  symlinkSync('plan.md', at('link-within.md'))
  symlinkSync(outside, at('link-to-folder.md'))
  symlinkSync('nowhere.md', at('link-dangling.md'))
  symlinkSync('link-loop.md', at('link-loop.md'))
  symlinkSync(outside, at('linked'))
  execFileSync('mkfifo', [at('pipe.md')])
  const listener = await listenOn(workroom.at('documents'), 'socket.md')
  t.teardown(() => listener.close())
  writeFileSync(at('huge.md'), '')
  truncateSync(at('huge.md'), 2 * 1024 * 1024 * 1024)
  mkdirSync(at('folder.md'))
  const count = eventsOf(workroom.home).length

  await workroom.scan()
  const names = [...Object.keys(odd), 'linked/secret.md', 'folder.md']
  // More at once than there are threads that could block on them.
  const responses = await Promise.all(
    [...names, ...names, ...names].map((name) => workroom.request('GET', `${docs}/${name}`)),
  )
  for (const response of responses) {
    t.equal(response.status, 404)
    t.notMatch(response.text, /Secret/)
  }
  const list = await workroom.list()
  t.notOk(names.some((name) => list.has(name)))
  t.equal((await workroom.request('GET', plan.path)).status, 200, 'other documents are not affected')
  t.equal(eventsOf(workroom.home).length, count)

  const skipped = new Map(
    workroom.workspace.maintenance.skippedFiles().map(({ path, reason }) => [path, reason]),
  )
  for (const [name, reason] of Object.entries(odd)) {
    t.equal(skipped.get(`projects/general/documents/${name}`), reason, name)
  }
  const { findings } = await findDifferences(workroom.home)
  for (const [name, reason] of Object.entries(odd)) {
    t.match(
      findings.find(({ path }) => path === `projects/general/documents/${name}`),
      { problem: `It is skipped: ${reason}.` },
      `the doctor names ${name}`,
    )
  }
})

t.test('PUT and DELETE never touch the target of a link', async (t) => {
  const put = await workroom.request('PUT', `${docs}/link.md`, { body: '# Link\n' })
  t.match([put.status, put.json], [201, { created: true, filename: 'link-2.md' }])
  const below = await workroom.request('PUT', `${docs}/linked/new.md`, { body: '# New\n' })
  t.ok(below.status >= 400, String(below.status))
  t.equal(readFileSync(join(outside, 'secret.md'), 'utf8'), '# Secret\n')
  t.notOk(existsSync(join(outside, 'new.md')))
  t.ok(lstatSync(workroom.at('documents/link.md')).isSymbolicLink())
  t.equal((await workroom.request('DELETE', `${docs}/linked/secret.md`)).status, 404, 'its folder is a link')
  t.ok(existsSync(join(outside, 'secret.md')))
})

t.test('DELETE removes the document that an address finds, and not a link of that name', async (t) => {
  const path = `${docs}/link.md`
  t.match((await workroom.request('GET', path)).text, '# Link')
  t.match((await workroom.request('DELETE', path)).json, { filename: 'link-2.md' })
  t.ok(lstatSync(workroom.at('documents/link.md')).isSymbolicLink())
})

t.test('DELETE of a link removes the link itself, and needs an owner or admin', async (t) => {
  const member = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
  const admin = await workroom.addMember({ name: 'Cleo', type: 'human', role: 'admin' }, 'general')
  const trash = async () => (await workroom.request('GET', '/v1/fs/projects/general/trash')).json.trash
  const [count, thrownAway] = [eventsOf(workroom.home).length, await trash()]
  const present = (name: string) => lstatSync(workroom.at(`documents/${name}`), { throwIfNoEntry: false })
  for (const name of Object.keys(odd).filter((name) => name.startsWith('link'))) {
    const path = `${docs}/${name}`
    const refused = await workroom.request('DELETE', path, { key: member.key })
    t.match([refused.status, refused.json.message], [403, /Only a workspace owner or admin/], name)
    const unmet = await workroom.request('DELETE', path, { headers: { 'If-Match': '*' } })
    t.match([unmet.status, unmet.json.currentRevision], [409, null], name)
    t.ok(present(name)?.isSymbolicLink(), name)
    const removed = await workroom.request('DELETE', path, { key: admin.key })
    t.strictSame([removed.status, removed.json], [200, { id: null, filename: name, deleted: true }])
    t.equal(present(name), undefined, name)
    t.equal((await workroom.request('DELETE', path)).status, 404, 'it is gone')
    t.notOk(
      workroom.workspace.maintenance.skippedFiles().some((skipped) => skipped.path.endsWith(`/${name}`)),
      name,
    )
  }
  t.equal(readFileSync(join(outside, 'secret.md'), 'utf8'), '# Secret\n')
  t.match((await workroom.request('GET', `${docs}/plan.md`)).text, '# Plan')
  t.equal(eventsOf(workroom.home).length, count, 'no document is deleted')
  t.strictSame(await trash(), thrownAway)
})

t.test('DELETE leaves alone what is neither a document nor a link', async (t) => {
  const others = [...Object.keys(odd).filter((name) => !name.startsWith('link')), 'folder.md']
  for (const name of others) {
    t.equal((await workroom.request('DELETE', `${docs}/${name}`)).status, 404, name)
    t.ok(existsSync(workroom.at(`documents/${name}`)), name)
  }
})

t.test('a document that becomes a link is deleted, and its target is left alone', async (t) => {
  const { id, path } = await workroom.put('Swapped')
  const file = workroom.at('documents/swapped.md')
  unlinkSync(file)
  symlinkSync(join(outside, 'secret.md'), file)
  t.notMatch((await workroom.request('GET', path)).text, /Secret/)
  await workroom.passDeletionDelay()
  t.equal((await workroom.waitForEvents(id, 2))[1]!.type, 'doc.delete')
  t.equal((await workroom.request('GET', path)).status, 404)
  t.equal(readFileSync(join(outside, 'secret.md'), 'utf8'), '# Secret\n')
})

t.test('a folder that becomes a link does not lead out of the home', async (t) => {
  await workroom.request('PUT', `${docs}/room/inner.md`, { body: '# Inner\n' })
  writeFileSync(join(outside, 'inner.md'), '# Secret\n')
  renameSync(workroom.at('documents/room'), join(workroom.home, 'room'))
  symlinkSync(outside, workroom.at('documents/room'))
  t.notMatch((await workroom.request('GET', `${docs}/room/inner.md`)).text, /Secret/)
  const put = await workroom.request('PUT', `${docs}/room/inner.md`, { body: '# Inner\n\nNew.\n' })
  t.ok(put.status !== 500, String(put.status))
  t.equal(readFileSync(join(outside, 'inner.md'), 'utf8'), '# Secret\n')
  remove(workroom.at('documents/room'))
  renameSync(join(workroom.home, 'room'), workroom.at('documents/room'))
})

t.test('a skipped file that becomes a regular file is a document', async (t) => {
  unlinkSync(workroom.at('documents/pipe.md'))
  workroom.write('documents/pipe.md', '# Pipe\n')
  await workroom.waitForEventAt('pipe.md')
  t.equal((await workroom.request('GET', `${docs}/pipe.md`)).status, 200)
  await workroom.scan()
  t.notOk(workroom.workspace.maintenance.skippedFiles().some(({ path }) => path.endsWith('/pipe.md')))
})

t.test('a document that grows too large keeps its last revision, and comes back when smaller', async (t) => {
  const { id, path } = await workroom.put('Swelling')
  truncateSync(workroom.at('documents/swelling.md'), 65 * 1024 * 1024)
  await workroom.scan()
  const read = await workroom.request('GET', path)
  t.match([read.status, read.json?.message], [503, /swelling\.md is there, but it is too large/])
  t.equal(workroom.events(id).length, 1)
  writeFileSync(workroom.at('documents/swelling.md'), '# Swelling\n\nSmall again.\n')
  t.equal((await workroom.request('GET', path)).status, 200)
  t.equal(workroom.events(id).length, 2)
})

t.test('a PUT below what is not a folder is a 409 that says what is there', async (t) => {
  const put = async (path: string) => {
    const { status, json } = await workroom.request('PUT', `${docs}/${path}`, {
      body: `# ${path.slice(-3)}\n\nText.\n`,
    })
    return [status, json.error, json.message]
  }
  await workroom.put('Flat')
  mkdirSync(workroom.at('documents/real'))
  symlinkSync('real', workroom.at('documents/alias'))
  execFileSync('mkfifo', [workroom.at('documents/queue')])
  const cases: [path: string, what: RegExp][] = [
    ['flat.md/x.md', /documents\/flat\.md: it is a file/],
    ['flat.md/deep/er/x.md', /documents\/flat\.md: it is a file/],
    ['FLAT.md/x.md', /documents\/FLAT\.md: documents\/flat\.md is a file/],
    ['alias/x.md', /documents\/alias: it is a symbolic link/],
    ['alias/deep/x.md', /documents\/alias: it is a symbolic link/],
    ['queue/x.md', /documents\/queue: it is not a folder/],
  ]
  for (const [path, what] of cases) t.match(await put(path), [409, 'conflict', what], path)
  t.equal((await put('real/x.md'))[0], 201)
  t.match((await workroom.request('GET', `${docs}/flat.md`)).text, /# Flat/, 'the file there is unchanged')
  t.notOk(existsSync(workroom.at('documents/FLAT.md')))
  t.notOk(existsSync(workroom.at('documents/real/deep')))

  const gone = (await workroom.request('PUT', `${docs}/nest/egg.md`, { body: '# Egg\n' })).json
  await workroom.request('DELETE', gone.path)
  remove(workroom.at('documents/nest'))
  writeFileSync(workroom.at('documents/nest'), 'A file in the place of the folder.')
  const trash = (await workroom.request('GET', docs.replace('docs', 'trash'))).json.trash
  const back = trash.find(({ id }: { id: string }) => id === gone.id)
  t.match((await workroom.request('POST', back.path)).json, {
    error: 'conflict',
    message: /documents\/nest: it is a file/,
  })
})
