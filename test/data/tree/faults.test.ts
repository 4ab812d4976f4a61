import nodeFs, { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DiskError, type FileSystem, openTree, type Tree } from '../../../data/tree/index.ts'
import { failing, systemError } from './failing-disk.ts'

const plan = 'projects/general/plan.md'
const errnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO']

function makeHome(t: Test): string {
  const home = t.testdir({ projects: { general: { 'plan.md': 'old' } }, '.workroom': { tmp: {} } })
  return nodeFs.realpathSync(home)
}

const tmpOf = (home: string) => readdirSync(join(home, '.workroom/tmp'))

/** The error that `call` throws, checked to be a `DiskError` without a path of the machine. */
function failureOf(t: Test, home: string, call: () => unknown): DiskError {
  try {
    call()
  } catch (error) {
    t.ok(error instanceof DiskError, String(error))
    t.notOk((error as DiskError).message.includes(home), (error as DiskError).message)
    return error as DiskError
  }
  throw new Error('nothing was thrown')
}

const isNew = (_path: unknown, flags: unknown) => flags === 'wx'

t.test('a failure while bytes are staged leaves no file', async (t) => {
  const calls = [
    ['openSync', isNew],
    ['writeSync', undefined],
    ['fstatSync', undefined],
    ['closeSync', undefined],
  ] as const
  for (const [call, when] of calls) {
    for (const errno of errnos) {
      const home = makeHome(t)
      const tree = openTree(home, { fs: failing(call, errno, when) })
      const failure = failureOf(t, home, () => tree.stage(Buffer.from('new')))
      t.equal(failure.errno, errno, `${call} ${errno}`)
      t.same(tmpOf(home), [])
      openTree(home).stage(Buffer.from('and the next one works'))
    }
  }
})

t.test('a folder for staged bytes that cannot be created is a `DiskError`', async (t) => {
  const home = t.testdir({})
  const tree = openTree(home)
  const broken = openTree(home, {
    fs: failing('mkdirSync', 'ENOSPC', (path) => String(path).endsWith('tmp')),
  })
  t.throws(() => broken.stage(Buffer.from('new')), { name: 'DiskError', errno: 'ENOSPC' })
  t.notOk(existsSync(join(home, '.workroom')), 'created folders are removed again')
  tree.stage(Buffer.from('new'))
})

/** A disk that writes at most this many bytes at a time. */
function taking(bytesAtATime: number): FileSystem {
  const write = nodeFs.writeSync as (
    file: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
  ) => number
  const writeSync = (file: number, bytes: Uint8Array, offset: number, length: number) =>
    write(file, bytes, offset, Math.min(length, bytesAtATime))
  return { ...nodeFs, writeSync: writeSync as typeof nodeFs.writeSync }
}

t.test('a short write is continued, and a write of no bytes counts as a full disk', async (t) => {
  const home = makeHome(t)
  const tree = openTree(home, { fs: taking(2) })
  t.equal(tree.readStaged(tree.stage(Buffer.from('in pieces')).name)?.bytes.toString(), 'in pieces')
  const full = openTree(home, { fs: taking(0) })
  t.throws(() => full.stage(Buffer.from('new')), {
    name: 'DiskError',
    errno: 'ENOSPC',
    message: /the disk is full/,
  })
  t.equal(tmpOf(home).length, 1)
})

t.test('a disk that only pretends to write is detected', async (t) => {
  const home = makeHome(t)
  const writeSync = ((_file: number, bytes: Uint8Array) => bytes.length) as typeof nodeFs.writeSync
  const tree = openTree(home, { fs: { ...nodeFs, writeSync } })
  t.throws(() => tree.stage(Buffer.from('new')), { name: 'DiskError', errno: 'EIO' })
  t.same(tmpOf(home), [])
})

t.test(
  'a failure while bytes are placed keeps the old bytes, and the new ones for another attempt',
  async (t) => {
    for (const call of ['symlinkSync', 'renameSync', 'linkSync', 'lstatSync'] as const) {
      for (const errno of errnos) {
        const home = makeHome(t)
        const isPlan = (...args: unknown[]) => args.some((path) => String(path).endsWith('plan.md'))
        const tree = openTree(home, { fs: failing(call, errno, isPlan) })
        const staged = tree.stage(Buffer.from('new'))
        const failure = failureOf(t, home, () => tree.place(staged, plan, null))
        t.equal(failure.errno, errno, `${call} ${errno}`)
        t.equal(readFileSync(join(home, plan), 'utf8'), 'old')
        t.equal(statSync(join(home, plan)).nlink, 1)
        t.same(tmpOf(home), [staged.name], 'no second name of the old file remains')
        openTree(home).place(staged, plan, null)
        t.equal(readFileSync(join(home, plan), 'utf8'), 'new', 'the next attempt succeeds')
      }
    }
  },
)

t.test('a new file that cannot be placed leaves no created folders', async (t) => {
  for (const call of ['linkSync', 'mkdirSync'] as const) {
    const home = makeHome(t)
    const isDeep = (...args: unknown[]) => args.some((path) => /c(?:\.md)?$/.test(String(path)))
    const tree = openTree(home, { fs: failing(call, 'EACCES', isDeep) })
    const staged = tree.stage(Buffer.from('new'))
    const path = call === 'linkSync' ? 'projects/a/b/c.md' : 'projects/a/b/c/d.md'
    const { message } = failureOf(t, home, () => tree.place(staged, path, null))
    t.match(message, /the server may not write in projects\/a\/b/)
    t.notOk(existsSync(join(home, 'projects/a')))
    t.same(tmpOf(home), [staged.name])
  }
})

t.test('a failure after the new bytes are placed does not fail the write', async (t) => {
  const home = makeHome(t)
  let isPlaced = false
  const renameSync: typeof nodeFs.renameSync = (from, to) => {
    nodeFs.renameSync(from, to)
    isPlaced = true
  }
  const broken = { ...failing('unlinkSync', 'EIO'), ...failing('lstatSync', 'EIO', () => isPlaced) }
  const tree = openTree(home, {
    fs: { ...broken, unlinkSync: failing('unlinkSync', 'EIO').unlinkSync, renameSync },
  })
  const stat = tree.stat(plan)
  const staged = tree.stage(Buffer.from('new'))
  const placed = tree.place(staged, plan, stat.kind === 'file' ? stat.stamp : null)
  t.equal(readFileSync(join(home, plan), 'utf8'), 'new')
  t.same(placed.stamp, staged.stamp)
  t.equal(
    readFileSync(join(home, '.workroom/tmp', placed.displaced[0]!.name), 'utf8'),
    'old',
    'in doubt, the old bytes are kept',
  )
})

t.test('a failed move leaves one file with its old name', async (t) => {
  for (const call of ['linkSync', 'symlinkSync', 'renameSync'] as const) {
    for (const errno of errnos) {
      const home = makeHome(t)
      const isPlan = (path: unknown) => String(path).endsWith('plan.md')
      const tree = openTree(home, { fs: failing(call, errno, isPlan) })
      const { errno: answered } = failureOf(t, home, () => tree.move(plan, 'projects/general/deep/moved.md'))
      t.equal(answered, errno, `${call} ${errno}`)
      t.same(readdirSync(join(home, 'projects/general')), ['plan.md'])
      t.equal(readFileSync(join(home, plan), 'utf8'), 'old')
    }
  }
})

t.test('a failed removal throws, and a removal of a missing file does not', async (t) => {
  const home = makeHome(t)
  const refused = openTree(home, { fs: failing('unlinkSync', 'EACCES') })
  const { message } = failureOf(t, home, () => refused.remove(plan))
  t.equal(
    message,
    'projects/general/plan.md could not be removed: the server may not write in projects/general',
  )
  t.equal(openTree(home, { fs: failing('unlinkSync', 'ENOENT') }).remove(plan), false)
})

t.test('a disk that cannot make a file durable throws', async (t) => {
  const home = makeHome(t)
  const fsync = ((_file: number, done: nodeFs.NoParamCallback) =>
    done(systemError('EIO'))) as typeof nodeFs.fsync
  const tree = openTree(home, { fs: { ...nodeFs, fsync } })
  await t.rejects(tree.flush(plan), { name: 'DiskError', errno: 'EIO', message: /could not be made durable/ })
})

const sentences: Record<string, RegExp> = {
  ENOSPC: /: the disk is full$/,
  EDQUOT: /: the disk quota is used up$/,
  EROFS: /: the disk is mounted read-only$/,
  EIO: /: the disk reports an input\/output error$/,
  EMFILE: /: the server has too many files open$/,
  ENAMETOOLONG: /: the name is too long$/,
  EPERM: /: the server may not write in projects\/general$/,
  EXDEV: /: it lies on another file system than \.workroom\/tmp$/,
  EWEIRD: /: the disk answers EWEIRD$/,
}

t.test('each error code has a message of its own', async (t) => {
  const home = makeHome(t)
  const messageFor = (errno: string) => {
    const tree: Tree = openTree(home, { fs: failing('renameSync', errno) })
    return failureOf(t, home, () => tree.place(tree.stage(Buffer.from('new')), plan, null)).message
  }
  for (const [errno, sentence] of Object.entries(sentences)) t.match(messageFor(errno), sentence)
})
