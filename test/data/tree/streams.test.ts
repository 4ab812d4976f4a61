import { execFileSync } from 'node:child_process'
import nodeFs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { DiskError, type FileStamp, type FileSystem, openTree } from '../../../data/tree/index.ts'
import { failing, systemError } from './failing-disk.ts'

const path = 'projects/general/files/a.bin'

function open(t: Test, fs?: FileSystem) {
  const home = realpathSync(t.testdir({ projects: { general: { files: { 'a.bin': '0123456789' } } } }))
  const tree = openTree(home, { maxBytes: 64, ...(fs && { fs }) })
  const tmp = () => {
    const folder = join(home, '.workroom/tmp')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  const stampOf = (path: string): FileStamp => {
    const stat = tree.statAnySize(path)
    if (stat.kind !== 'file') throw new Error(stat.kind)
    return stat.stamp
  }
  return { home, tree, tmp, stampOf, at: (path: string) => join(home, path) }
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

async function textOf(stream: Readable | null): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream!) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

t.test('streamed bytes are written as they arrive, made durable, and never replace a file', async (t) => {
  const synced: number[] = []
  const fsync = ((file: number, done: (error: Error | null) => void) => {
    synced.push(file)
    nodeFs.fsync(file, done)
  }) as typeof nodeFs.fsync
  const { tree, tmp, at } = open(t, { ...nodeFs, fsync })
  let seen: string[] = []
  async function* source() {
    yield Buffer.from('one ')
    yield Buffer.from('two ')
    seen = tmp().map((name) => readFileSync(at(`.workroom/tmp/${name}`), 'utf8'))
    yield Buffer.from('three')
  }
  const staged = await tree.receive(source())
  t.same(seen, ['one two '], 'bytes are not collected in memory')
  t.equal(synced.length, 1)
  t.equal(staged.stamp.size, 13)
  t.equal(tree.placeNew(staged, path), null, 'an existing file stays')
  t.equal(readFileSync(at(path), 'utf8'), '0123456789')
  const stamp = tree.placeNew(staged, 'projects/general/files/deep/er/b.bin')
  t.match(stamp, { ino: staged.stamp.ino, size: 13 })
  t.equal(readFileSync(at('projects/general/files/deep/er/b.bin'), 'utf8'), 'one two three')
  t.same(tmp(), [])
  t.equal((await tree.receive(pieces())).stamp.size, 0)
})

t.test('a failing disk leaves no file, and the error says why', async (t) => {
  const failingSync = {
    ...nodeFs,
    fsync: ((_file: number, done: (error: Error) => void) => done(systemError('EIO'))) as never,
  }
  const isNew = (_path: unknown, flags: unknown) => flags === 'wx'
  const disks: [what: string, errno: string, fs: FileSystem][] = [
    ['open', 'EACCES', failing('openSync', 'EACCES', isNew)],
    ['write', 'ENOSPC', failing('write', 'ENOSPC')],
    ['fsync', 'EIO', failingSync],
    ['fstat', 'EIO', failing('fstatSync', 'EIO')],
    ['close', 'EDQUOT', failing('closeSync', 'EDQUOT')],
    ['a write that does not move', 'ENOSPC', writing(() => 0)],
  ]
  for (const [what, errno, fs] of disks) {
    const { home, tree, tmp } = open(t, fs)
    const error = await tree.receive(pieces('some', 'bytes')).catch((error) => error)
    t.ok(error instanceof DiskError, `${what}: ${error}`)
    t.equal(error.errno, errno)
    t.notMatch(error.message, home)
    t.same(tmp(), [], what)
  }
  const full = open(t, failing('linkSync', 'ENOSPC'))
  const staged = await full.tree.receive(pieces('some'))
  t.throws(() => full.tree.placeNew(staged, 'projects/general/files/new/b.bin'), {
    name: 'DiskError',
    errno: 'ENOSPC',
  })
  t.notOk(existsSync(full.at('projects/general/files/new')), 'the created folder is removed')
})

/** A disk whose writes take `countOf(length)` bytes of a piece. */
function writing(countOf: (length: number) => number): FileSystem {
  const write = (file: number, bytes: Uint8Array, at: number, length: number, _: null, done: () => void) =>
    countOf(length) === 0
      ? setImmediate(done as (error: null, count: number) => void, null, 0)
      : nodeFs.write(file, bytes, at, countOf(length), null, done)
  return { ...nodeFs, write: write as unknown as typeof nodeFs.write }
}

t.test('a short write is continued', async (t) => {
  const { tree, at } = open(
    t,
    writing((length) => Math.min(length, 3)),
  )
  const { name } = await tree.receive(pieces('in many', ' pieces'))
  t.equal(readFileSync(at(`.workroom/tmp/${name}`), 'utf8'), 'in many pieces')
})

t.test('a failing source leaves no file, and its own error is thrown', async (t) => {
  const { tree, tmp } = open(t)
  async function* source() {
    yield Buffer.from('some')
    throw systemError('ECONNRESET')
  }
  await t.rejects(tree.receive(source()), { code: 'ECONNRESET', name: 'Error' })
  t.same(tmp(), [])
})

t.test('a file of any size is streamed, whole or in part', async (t) => {
  const { tree, at, stampOf } = open(t)
  const stamp = stampOf(path)
  t.equal(await textOf(tree.stream(path, stamp)), '0123456789')
  t.equal(await textOf(tree.stream(path, stamp, { start: 3, end: 5 })), '345')
  t.equal(await textOf(tree.stream(path, stamp, { start: 9, end: 9 })), '9')
  const empty = 'projects/general/files/empty'
  writeFileSync(at(empty), '')
  t.equal(await textOf(tree.stream(empty, stampOf(empty))), '')
  const large = 'projects/general/files/large'
  writeFileSync(at(large), 'x'.repeat(1000))
  t.same(tree.stat(large), { kind: 'skipped', reason: 'too_large' })
  t.equal((await textOf(tree.stream(large, stampOf(large)))).length, 1000)
})

t.test('a changed file is not streamed, and a file truncated during the stream fails', async (t) => {
  const { tree, at, stampOf } = open(t)
  const stamp = stampOf(path)
  appendFileSync(at(path), 'more')
  t.equal(tree.stream(path, stamp), null)
  const large = 'projects/general/files/large'
  writeFileSync(at(large), Buffer.alloc(1_000_000))
  const stream = tree.stream(large, stampOf(large))!
  truncateSync(at(large), 500_000)
  await t.rejects(textOf(stream), { name: 'DiskError', errno: 'EIO' })
})

t.test('links are not followed, and only regular files are opened', async (t) => {
  const { tree, at, stampOf } = open(t)
  const stamp = stampOf(path)
  renameSync(at('projects/general/files'), at('elsewhere'))
  symlinkSync(at('elsewhere'), at('projects/general/files'))
  t.equal(tree.stream(path, stamp), null, 'a folder on the way is a link')
  t.same(tree.statAnySize(path), { kind: 'skipped', reason: 'symlink' })
  mkdirSync(at('odd'))
  symlinkSync(at('elsewhere/a.bin'), at('odd/link'))
  t.equal(tree.stream('odd/link', stamp), null)
  execFileSync('mkfifo', [at('odd/fifo')])
  t.equal(tree.stream('odd/fifo', stamp), null)
  t.equal(tree.stream('odd/missing', stamp), null)
  t.same(tree.statAnySize('missing/file'), { kind: 'missing' })
})

t.test('a file that may not be read counts as missing, and a failing disk throws', async (t) => {
  for (const [errno, expected] of [
    ['EACCES', null],
    ['EMFILE', 'EMFILE'],
  ] as const) {
    const { tree, stampOf } = open(t, failing('openSync', errno))
    const deed = () => tree.stream(path, stampOf(path))
    if (expected) t.throws(deed, { name: 'DiskError', errno: expected })
    else t.equal(deed(), null)
  }
})
