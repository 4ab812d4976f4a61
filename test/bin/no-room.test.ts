import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { copyHome } from '../support/copy-home.ts'
import { request } from '../support/http-client.ts'
import { smallDisk } from '../support/small-disk.ts'
import { testFolder } from '../support/test-folder.ts'
import { nodeArguments, runWorkroom, startProgram } from './run-workroom.ts'
import { serve, serveArguments, waitUntilListening } from './serve-workroom.ts'

const welcome = '/v1/fs/projects/general/docs/welcome.md'
const body = '# Welcome\n\nChanged.\n'

/** Serves a home without room for the database's 32 kB of shared memory, and then with room again. */
async function serveWithoutRoom(
  t: Test,
  home: string,
  start: () => ReturnType<typeof serve>,
  free: () => void,
): Promise<void> {
  const without = await start()
  t.match(await request(without.url, 'GET', welcome, { key }), { status: 200, text: /# Welcome/ })
  t.match(await request(without.url, 'PUT', welcome, { key, body }), {
    status: 503,
    json: { message: /^Nothing was written, because .*(?:the disk is full|the disk reported an error)/ },
  })
  t.equal((await request(without.url, 'GET', '/healthz')).status, 503)
  t.match(await runWorkroom('member', 'list', '--home', home), {
    code: 1,
    stderr: /another process holds/,
  })
  without.child.kill('SIGTERM')
  const { code, stderr } = await without.ended
  t.equal(code, 0)
  t.match(stderr, /The disk is full: no command works beside this server/)

  free()
  const within = await serve(t, home)
  t.equal((await request(within.url, 'PUT', welcome, { key, body })).status, 201)
  t.match(await runWorkroom('member', 'list', '--home', home), { code: 0, stdout: /Ada/ })
  within.child.kill('SIGTERM')
  t.notMatch((await within.ended).stderr, /The disk is full/)
}

/** Has been served once, so that all that a first start creates exists. */
const servedHome = join(testFolder(t), 'served')
const { key } = await createWorkspace({ home: servedHome, name: 'Team', owner: 'Ada' })
const { child, ended } = await serve(t, servedHome)
child.kill('SIGTERM')
await ended

t.test('where files cannot grow, the server reads the home and other processes are refused', async (t) => {
  const home = join(testFolder(t), 'home')
  copyHome(servedHome, home)
  // A limit on file sizes makes writes fail as a full disk does, without a disk of its own.
  const limited = ['-c', `trap '' XFSZ; ulimit -f 8; exec "$@"`, 'sh', process.execPath]
  const start = () =>
    waitUntilListening(startProgram(t, 'sh', [...limited, ...nodeArguments, ...serveArguments(home)]))
  await serveWithoutRoom(t, home, start, () => {})
})

t.test('on a full disk, the server reads the home and other processes are refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'workroom-small-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const disk = smallDisk(folder, 16)
  if (!disk) {
    t.pass('mounting a disk is not permitted here; the test above covers the promise')
    return
  }
  t.teardown(() => disk.close())
  const home = join(disk.root, 'home')
  copyHome(servedHome, home)
  disk.fill(0)
  await serveWithoutRoom(
    t,
    home,
    () => serve(t, home),
    () => disk.free(),
  )
})
