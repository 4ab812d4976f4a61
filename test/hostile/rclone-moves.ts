import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RcloneContext, RcloneScenario } from './rclone.ts'

const project = '/v1/fs/projects/general'
const count = 200

/** The files of a folder by path: documents, a picture, and a hidden one. */
function filesOf(what: string): Map<string, string> {
  const files = new Map<string, string>()
  for (let n = 0; n < count; n++) {
    files.set(n % 4 === 0 ? `sub/${n}.md` : `${n}.md`, `# ${what} ${n}\n`)
  }
  return files.set('picture.png', `${what} picture`).set('.git/config', `${what} config`)
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The ids of a folder's documents by relative path. */
async function idsBelow({ request }: RcloneContext, folder: string): Promise<Map<string, string>> {
  const { documents } = JSON.parse((await request('GET', `${project}/docs`)).text) as {
    documents: { id: string; filename: string }[]
  }
  const inIt = documents.filter(({ filename }) => filename.startsWith(`${folder}/`))
  return new Map(inIt.map(({ id, filename }) => [filename.slice(folder.length + 1), id]))
}

const trashed = async ({ request }: RcloneContext): Promise<number> =>
  JSON.parse((await request('GET', `${project}/trash`)).text).trash.length

const haveSameEntries = (one: Map<string, string>, other: Map<string, string>): boolean =>
  one.size === other.size && [...one].every(([path, id]) => other.get(path) === id)

/** The differences between a local folder and one of the remote. */
async function differences({ rclone }: RcloneContext, local: string, remote: string): Promise<string[]> {
  const { code, stderr } = await rclone('check', '--download', local, remote)
  return code === 0 ? [] : [`${remote} is not what was copied: ${stderr}`]
}

/** The files that a copy of one folder to another transfers. */
async function copied({ rclone }: RcloneContext, from: string, to: string): Promise<string[]> {
  const { code, stderr } = await rclone('copy', '-v', '--update', '--checksum', from, to)
  if (code !== 0) throw new Error(`copy ${from} ${to}: ${stderr}`)
  return [...stderr.matchAll(/: (\S+): Copied/g)].map(([, name]) => name!).toSorted()
}

const folderMoved: RcloneScenario = {
  name: 'moveto moves a folder as a whole, and its documents keep their ids',
  async play(context) {
    const { folder, remote, rclone, restart } = context
    write(folder, filesOf('moved'))
    const broken: string[] = []
    await rclone('copy', folder, `${remote}documents/moved`)
    const ids = await idsBelow(context, 'moved')
    if (ids.size !== count) broken.push(`${ids.size} of ${count} documents were copied`)
    const before = await trashed(context)
    for (const [from, to] of [
      ['moved', 'again'],
      ['again', 'Again'],
    ]) {
      const { code, stderr } = await rclone(
        'moveto',
        `${remote}documents/${from}`,
        `${remote}documents/${to}`,
      )
      if (code !== 0) broken.push(`moveto ${to} failed: ${stderr}`)
      await restart()
      if (!haveSameEntries(await idsBelow(context, to!), ids))
        broken.push(`the documents of ${to} have other ids`)
    }
    if ((await trashed(context)) !== before) broken.push('some of it is in the trash')
    return [...broken, ...(await differences(context, folder, `${remote}documents/Again`))]
  },
}

const movedTwice: RcloneScenario = {
  name: 'a folder moved several times at once is complete at one path',
  async play(context) {
    const { folder, remote, rclone } = context
    const broken: string[] = []
    for (const topFolder of ['documents', 'files']) {
      write(join(folder, topFolder), filesOf('twice'))
      await rclone('copy', join(folder, topFolder), `${remote}${topFolder}/twice`)
      const ids = await idsBelow(context, 'twice')
      const before = await trashed(context)
      const move = (to: string) =>
        rclone('moveto', `${remote}${topFolder}/twice`, `${remote}${topFolder}/${to}`)
      await Promise.all([move('left'), move('left'), move('right')])
      const { stdout } = await rclone('lsf', '--dirs-only', `${remote}${topFolder}`)
      const paths = stdout.split('\n').filter((name) => ['twice/', 'left/', 'right/'].includes(name))
      if (paths.length !== 1) broken.push(`${topFolder}: it is at ${paths.join(', ') || 'no place'}`)
      for (const path of paths) {
        broken.push(...(await differences(context, join(folder, topFolder), `${remote}${topFolder}/${path}`)))
        if (topFolder === 'documents' && !haveSameEntries(await idsBelow(context, path.slice(0, -1)), ids)) {
          broken.push('the documents have other ids')
        }
      }
      if ((await trashed(context)) !== before) broken.push(`${topFolder}: some of it is in the trash`)
    }
    return broken
  },
}

const sameSize: RcloneScenario = {
  name: 'an edit of the same size is copied both ways, and a second run copies nothing',
  async play(context) {
    const { folder, remote, restart, request } = context
    const target = `${remote}documents/tasks`
    const local = join(folder, 'todo.md')
    const broken: string[] = []
    const expect = async (what: string, from: string, to: string, expected: string[]) => {
      const names = await copied(context, from, to)
      if (names.join() !== expected.join()) broken.push(`${what}: ${names.join() || 'nothing'} was carried`)
    }
    writeFileSync(local, '- [ ] buy milk\n')
    writeFileSync(join(folder, 'sheet.csv'), 'a;b\n')
    await expect('first there', folder, target, ['sheet.csv', 'todo.md'])
    await expect('second there', folder, target, [])
    await expect('first back', target, folder, [])
    await restart()
    await expect('after a restart', folder, target, [])
    const inAMinute = Date.now() / 1000 + 60
    writeFileSync(local, '- [x] buy milk\n')
    utimesSync(local, inAMinute, inAMinute)
    await expect('ticked here', folder, target, ['todo.md'])
    const { text } = await request('GET', '/dav/projects/general/documents/tasks/todo.md')
    if (text !== '- [x] buy milk\n') broken.push('what was ticked here is not there')
    await expect('ticked here, again', folder, target, [])
    await expect('ticked here, and back', target, folder, [])
    // The modification time in the header is an hour later.
    const headers = { 'X-OC-Mtime': String(Math.floor(inAMinute) + 3600) }
    const body = '- [ ] buy milk\n'
    await request('PUT', '/dav/projects/general/documents/tasks/todo.md', { body, headers })
    await expect('unticked there', target, folder, ['todo.md'])
    if (readFileSync(local, 'utf8') !== body) broken.push('what was unticked there is not here')
    await expect('unticked there, again', target, folder, [])
    await expect('unticked there, and back', folder, target, [])
    return broken
  },
}

const bisynced: RcloneScenario = {
  name: 'bisync copies edits of the same size both ways, with a restart in between',
  async play(context) {
    const { folder, remote, rclone, restart, request } = context
    const local = join(folder, 'local')
    const target = `${remote}documents/bisynced-tasks`
    const broken: string[] = []
    write(local, new Map(['one', 'two', 'three'].map((name) => [`${name}.md`, '- [ ] task\n'])))
    await rclone('mkdir', target)
    const bisync = async (...more: string[]) => {
      const args = ['bisync', local, target, '--workdir', join(folder, 'work'), '-v', ...more]
      const { code, stderr } = await rclone(...args)
      if (code !== 0) throw new Error(`bisync ${more.join(' ')}: ${stderr}`)
      return [...stderr.matchAll(/: (\S+): Copied/g)].map(([, name]) => name!).toSorted()
    }
    await bisync('--resync')
    await restart()
    const soon = Date.now() / 1000 + 60
    writeFileSync(join(local, 'one.md'), '- [x] task\n')
    utimesSync(join(local, 'one.md'), soon, soon)
    await request('PUT', '/dav/projects/general/documents/bisynced-tasks/two.md', {
      body: '- [x] task\n',
      headers: { 'X-OC-Mtime': String(Math.floor(soon)) },
    })
    const carried = await bisync()
    if (carried.join() !== 'one.md,two.md') broken.push(`${carried.join() || 'nothing'} was carried`)
    const { stdout } = await rclone('cat', `${target}/one.md`)
    if (stdout !== '- [x] task\n') broken.push('what was ticked here is not there')
    if (readFileSync(join(local, 'two.md'), 'utf8') !== '- [x] task\n') {
      broken.push('what was ticked there is not here')
    }
    await restart()
    const again = await bisync()
    if (again.length > 0) broken.push(`${again.join()} was carried a second time`)
    return broken
  },
}

const synced: RcloneScenario = {
  name: 'a second sync copies nothing, by times or by checksums',
  async play(context) {
    const { folder, remote, rclone, restart } = context
    write(folder, filesOf('synced'))
    writeFileSync(join(folder, 'large.bin'), Buffer.alloc(3_000_000, 'large'))
    writeFileSync(join(folder, '.DS_Store'), 'left by a program')
    const target = `${remote}documents/synced`
    const broken: string[] = []
    const sync = async (what: string, ...more: string[]) => {
      const { code, stderr } = await rclone('sync', '-v', ...more, folder, target)
      const names = [...stderr.matchAll(/: Copied/g)].length
      if (code !== 0) broken.push(`${what}: ${stderr}`)
      return names
    }
    await sync('first')
    await restart()
    for (const more of [[], ['--checksum']]) {
      const carried = await sync(`again ${more.join()}`, ...more)
      if (carried > 0) broken.push(`sync ${more.join()} carried ${carried} files again`)
    }
    const { code, stderr } = await rclone('check', folder, target)
    if (code !== 0) broken.push(`check by checksums: ${stderr}`)
    if (/hashes could not be checked/.test(stderr)) broken.push('checksums are missing')
    return broken
  },
}

const lockKept: RcloneScenario = {
  name: 'a lock survives a restart, and a client that sends malformed conditions is served',
  async play({ restart, request }) {
    const path = '/dav/projects/general/documents/open.md'
    const broken: string[] = []
    const body =
      '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>'
    const taken = await request('LOCK', path, { body, headers: { Timeout: 'Second-600' } })
    const token = /urn:uuid:[0-9a-f-]+/.exec(taken.text)?.[0]
    await restart()
    if ((await request('PUT', path, { body: 'saved by another' })).status !== 423) {
      broken.push('nobody is held off after a restart')
    }
    const saved = await request('PUT', path, { body: 'saved', headers: { If: `(<${token}>)` } })
    if (saved.status >= 300) broken.push(`its holder cannot save: ${saved.status}`)
    const unlocked = await request('UNLOCK', path, { headers: { 'Lock-Token': token! } })
    if (unlocked.status !== 204) broken.push(`a token without brackets is not taken: ${unlocked.status}`)
    for (const method of ['GET', 'PUT', 'PROPFIND', 'DELETE']) {
      const headers = { 'If-None-Match': 'JoplinIgnore-1234', Depth: '0' }
      const { status } = await request(method, path, { headers, ...(method === 'PUT' && { body: 'x' }) })
      if (status >= 300) broken.push(`${method} with an unquoted If-None-Match: ${status}`)
    }
    return broken
  },
}

/** Each scenario lost data once. */
export const scenarios: RcloneScenario[] = [folderMoved, movedTwice, sameSize, bisynced, synced, lockKept]
