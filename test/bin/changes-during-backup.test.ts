import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { backUp } from '../../core/backup/backup.ts'
import { restore } from '../../core/backup/restore.ts'
import { defaultConfig } from '../../core/config.ts'
import { findDifferences } from '../../core/doctor/index.ts'
import { startServer } from '../../server/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { request as send } from '../support/http-client.ts'
import { processMarkdown } from '../support/shared-markdown.ts'
import { startWorkroom } from '../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const folder = dirname(home)
const inProject = (...names: string[]) => join(home, 'projects/general', ...names)
const put = (path: string, body: string) => request('PUT', path, { body })

const open = (home: string) =>
  startServer({
    home,
    config: { ...defaultConfig, port: 0 },
    log: capturedLog(),
    faults: { markdown: processMarkdown() },
  })

t.test('a file deleted while a backup is taken is in the trash of the restored home', async (t) => {
  const path = '/v1/fs/projects/general/library/files'
  await request('POST', `${path}?name=meanwhile.txt`, { body: 'Deleted meanwhile.' })
  const [to, back] = [join(folder, 'meanwhile'), join(folder, 'meanwhile-restored')]
  let isDeleted = false
  await backUp({
    home,
    to,
    onProgress: () => {
      if (isDeleted) return
      isDeleted = true
      const kept = join(home, 'trash/general/deleted')
      mkdirSync(kept, { recursive: true })
      renameSync(
        inProject('files/meanwhile.txt'),
        join(kept, 'file_01m82jwsnea220e3gr0ynn5kk0-meanwhile.txt'),
      )
    },
  })
  await restore({ from: to, home: back })
  const server = await open(back)
  t.teardown(() => server.close())
  const ask = (method: string, path: string) => send(server.url, method, path, { key: workroom.owner.key })
  const { trash } = (await ask('GET', '/v1/fs/projects/general/trash')).json
  const row = trash.find(({ filename }: { filename: string }) => filename === 'files/meanwhile.txt')
  t.equal((await ask('POST', row.path)).status, 201)
  t.equal((await ask('GET', `${path}/meanwhile.txt`)).text, 'Deleted meanwhile.')
})

t.test('a file moved while a backup is taken is in it under its new name', async (t) => {
  const [from, moved] = [inProject('files/moving'), inProject('files/aaa-moved.txt')]
  mkdirSync(from)
  const names = Array.from({ length: 50 }, (_, index) => `${index}.txt`)
  for (const name of names) writeFileSync(join(from, name), name)
  const [to, back] = [join(folder, 'moving'), join(folder, 'moved-restored')]
  const last = readdirSync(from).at(-1)!
  const copies = join(`${to}.partial`, 'projects/general/files/moving')
  const { leftOut } = await backUp({
    home,
    to,
    onProgress: () => {
      if (!existsSync(moved) && existsSync(copies)) renameSync(join(from, last), moved)
    },
  })
  t.same(
    leftOut.filter(({ path }) => path.includes('mov')),
    [],
  )
  await restore({ from: to, home: back })
  t.equal(readFileSync(join(back, 'projects/general/files/aaa-moved.txt'), 'utf8'), last)
  t.notOk(existsSync(join(back, 'projects/general/files/moving', last)))
})

t.test('an attachment deleted while a backup is taken is named as left out', async (t) => {
  const { path, id } = (await put('/v1/fs/projects/general/posts/x.md', '# Fleeing\n')).json
  await request('POST', `${path}/attachments?name=gone.txt`, { body: 'Gone soon.' })
  const file = `projects/general/attachments/${id}/gone.txt`
  const [to, back] = [join(folder, 'fleeing'), join(folder, 'fled')]
  const { leftOut } = await backUp({ home, to, onProgress: () => rmSync(join(home, file), { force: true }) })
  t.match(leftOut.at(-1), { path: file, reason: /It was deleted, or was missing before/ })
  await restore({ from: to, home: back })
  t.same((await findDifferences(back)).findings, [])
  t.match((await findDifferences(home)).findings, [{ path: file }])
  const [attached] = (await request('GET', `${path}/attachments`)).json.attachments
  await request('DELETE', attached.path)
})
