import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import nodeFs, { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DiskError, openTree, UnsafePathError } from '../../../data/tree/index.ts'
import { before, failing } from './failing-disk.ts'

const documents = 'projects/general/documents'
const plan = `${documents}/plan.md`

function homeWithPlan(t: Test, text = 'a plan\n'): string {
  return t.testdir({ projects: { general: { documents: { 'plan.md': text } } } })
}

t.test('a file’s stat and bytes are read with the same stamp', async (t) => {
  const tree = openTree(homeWithPlan(t))
  const stat = tree.stat(plan)
  t.match(stat, {
    kind: 'file',
    stamp: { size: 7, ino: Number, dev: Number, mtimeMs: Number, ctimeMs: Number, uid: Number },
  })
  const content = tree.read(plan)
  t.equal(content?.bytes.toString(), 'a plan\n')
  t.same(stat, { kind: 'file', stamp: content?.stamp })
})

t.test('an empty file can be read', async (t) => {
  const tree = openTree(homeWithPlan(t, ''))
  t.equal(tree.read(plan)?.bytes.length, 0)
})

t.test('a home can be opened through a link, and is created if it is missing', async (t) => {
  const folder = homeWithPlan(t)
  symlinkSync(folder, join(folder, 'link'))
  const tree = openTree(join(folder, 'link'))
  t.equal(tree.home, nodeFs.realpathSync(folder))
  t.ok(tree.read(plan))
  t.same(openTree(join(folder, 'new/home')).list('projects'), null)
  t.ok(nodeFs.statSync(join(folder, 'new/home')).isDirectory())
  writeFileSync(join(folder, 'file'), '')
  t.throws(() => openTree(join(folder, 'file')), DiskError)
})

t.test('a path without a file is missing', async (t) => {
  const tree = openTree(homeWithPlan(t))
  const nowhere = [
    'none.md',
    'projects/none/documents/a.md',
    `${plan}/below-a-file.md`,
    `projects/${'a'.repeat(300)}.md`,
  ]
  for (const path of nowhere) {
    t.same(tree.stat(path), { kind: 'missing' }, path)
    t.equal(tree.read(path), null)
    t.equal(tree.list(path), null)
    t.equal(tree.folderStamp(path), null)
  }
})

t.test('no method accepts a path outside the home', async (t) => {
  const tree = openTree(homeWithPlan(t))
  const staged = tree.stage(Buffer.from('x'))
  const calls: (() => unknown)[] = [
    () => tree.stat('../x'),
    () => tree.read('../x'),
    () => tree.list('..'),
    () => tree.entries('..'),
    () => tree.folderStamp('..'),
    () => tree.place(staged, '../x', null),
    () => tree.move(plan, '../x'),
    () => tree.move('../x', plan),
    () => tree.remove('../x'),
    () => tree.makeFolder('../x'),
    () => tree.removeEmptyFolder('../x'),
    () => tree.readStaged('../../x'),
    () => tree.discard('../../x'),
  ]
  for (const call of calls) t.throws(call, UnsafePathError, String(call))
  await t.rejects(tree.flush('../x'), UnsafePathError)
})

t.test('a link is never followed, be it out of the home, a loop, broken, or to another file', async (t) => {
  const home = homeWithPlan(t)
  const outside = t.testdirName
  writeFileSync(join(home, 'secret.md'), 'secret')
  const links = {
    out: join(outside, 'secret.md'),
    loop: 'loop.md',
    dangling: 'none.md',
    neighbour: 'plan.md',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(home, documents, `${name}.md`))
  const tree = openTree(home)
  for (const name of Object.keys(links)) {
    t.same(tree.stat(`${documents}/${name}.md`), { kind: 'skipped', reason: 'symlink' }, name)
    t.equal(tree.read(`${documents}/${name}.md`), null)
  }
})

t.test('nothing is read through a folder that is a link', async (t) => {
  const home = homeWithPlan(t)
  symlinkSync('general', join(home, 'projects/linked'))
  symlinkSync(join(home, 'projects/general/documents'), join(home, 'projects/general/library'))
  const tree = openTree(home)
  for (const folder of ['projects/linked/documents', 'projects/general/library']) {
    t.same(tree.stat(`${folder}/plan.md`), { kind: 'skipped', reason: 'symlink' })
    t.equal(tree.read(`${folder}/plan.md`), null)
    t.equal(tree.list(folder), null)
    t.equal(tree.folderStamp(folder), null)
  }
})

t.test('a FIFO, a socket, a device or a folder is not read, and does not block', async (t) => {
  const home = homeWithPlan(t)
  const at = (name: string) => join(home, documents, name)
  execFileSync('mkfifo', [at('fifo.md')])
  mkdirSync(at('folder.md'))
  const server = createServer()
  t.teardown(() => server.close())
  // The path of a Unix socket must be short.
  const here = process.cwd()
  process.chdir(join(home, documents))
  const listening = once(server.listen('socket.md'), 'listening')
  process.chdir(here)
  await listening
  const tree = openTree(home)
  for (const odd of ['fifo', 'folder', 'socket']) {
    t.same(tree.stat(`${documents}/${odd}.md`), { kind: 'skipped', reason: odd })
    t.equal(tree.read(`${documents}/${odd}.md`), null)
  }
  t.match(openTree('/dev').stat('null'), { kind: 'skipped', reason: 'device' })
  t.equal(openTree('/dev').read('null'), null)
})

t.test('a file that is too large is not read', async (t) => {
  const home = homeWithPlan(t)
  truncateSync(join(home, plan), 2 ** 31)
  const tree = openTree(home)
  t.same(tree.stat(plan), { kind: 'skipped', reason: 'too_large' })
  t.equal(tree.read(plan), null)
  truncateSync(join(home, plan), 11)
  t.equal(openTree(home, { maxBytes: 11 }).read(plan)?.bytes.length, 11)
  t.equal(openTree(home, { maxBytes: 10 }).read(plan), null)
})

t.test('a file that the server may not read is unreadable, not missing', async (t) => {
  const home = homeWithPlan(t)
  const isPlan = (path: unknown) => String(path).endsWith('plan.md')
  const isFolder = (path: unknown) => String(path).endsWith('documents')
  t.same(openTree(home, { fs: failing('lstatSync', 'EACCES', isPlan) }).stat(plan), {
    kind: 'skipped',
    reason: 'unreadable',
  })
  t.same(openTree(home, { fs: failing('lstatSync', 'EIO', isFolder) }).stat(plan), {
    kind: 'skipped',
    reason: 'unreadable',
  })
  t.equal(openTree(home, { fs: failing('openSync', 'EACCES', isPlan) }).read(plan), null)
  t.equal(openTree(home, { fs: failing('readdirSync', 'EACCES') }).list(documents), null)
})

t.test('a failure while a file is read throws, and does not count as missing', async (t) => {
  const home = homeWithPlan(t)
  for (const [call, errno] of [
    ['openSync', 'EMFILE'],
    ['fstatSync', 'EIO'],
    ['readSync', 'EIO'],
    ['closeSync', 'EIO'],
  ] as const) {
    const tree = openTree(home, { fs: failing(call, errno) })
    t.throws(
      () => tree.read(plan),
      { name: 'DiskError', errno, message: new RegExp(`^${plan} could not be read`) },
      call,
    )
  }
})

t.test('short reads are joined', async (t) => {
  const readSync = (
    file: number,
    buffer: NodeJS.ArrayBufferView,
    offset: number,
    _length: number,
    position: number,
  ) => nodeFs.readSync(file, buffer, offset, 1, position)
  const tree = openTree(homeWithPlan(t), { fs: { ...nodeFs, readSync: readSync as typeof nodeFs.readSync } })
  t.equal(tree.read(plan)?.bytes.toString(), 'a plan\n')
})

const changes: [what: string, change: (path: string) => void][] = [
  ['written in place', (path) => writeFileSync(path, 'a new plan\n')],
  [
    'replaced by rename',
    (path) => {
      writeFileSync(`${path}.new`, 'a new plan\n')
      renameSync(`${path}.new`, path)
    },
  ],
]

t.test('a file that changes while it is read is read again', async (t) => {
  for (const [what, change] of changes) {
    for (const call of ['openSync', 'fstatSync', 'readSync', 'closeSync'] as const) {
      const home = homeWithPlan(t)
      const tree = openTree(home, { fs: before(call, () => change(join(home, plan))) })
      const content = tree.read(plan)
      t.equal(content?.bytes.toString(), 'a new plan\n', `${what} at ${call}`)
      t.same(tree.stat(plan), { kind: 'file', stamp: content?.stamp })
    }
  }
})

t.test('a file that never stops changing is not read', async (t) => {
  const home = homeWithPlan(t)
  let length = 10
  const closeSync = (file: number) => {
    nodeFs.closeSync(file)
    truncateSync(join(home, plan), length++)
  }
  t.equal(openTree(home, { fs: { ...nodeFs, closeSync } }).read(plan), null)
  t.equal(length, 15, 'it is tried five times')
})

t.test('a folder swapped for a link while a file is read is not followed', async (t) => {
  for (const call of ['openSync', 'fstatSync', 'readSync', 'closeSync'] as const) {
    const home = homeWithPlan(t)
    mkdirSync(join(home, 'outside/documents'), { recursive: true })
    writeFileSync(join(home, 'outside/documents/plan.md'), 'secret')
    const swap = () => {
      renameSync(join(home, 'projects/general'), join(home, 'projects/before'))
      symlinkSync(join(home, 'outside'), join(home, 'projects/general'))
    }
    t.equal(openTree(home, { fs: before(call, swap) }).read(plan), null, call)
  }
})

t.test('a file swapped for a FIFO while it is read does not block', async (t) => {
  const home = homeWithPlan(t)
  const swap = () => {
    rmSync(join(home, plan))
    execFileSync('mkfifo', [join(home, plan)])
  }
  t.equal(openTree(home, { fs: before('openSync', swap) }).read(plan), null)
})

t.test('a folder is listed by name, with ignored names, links and illegal names', async (t) => {
  const home = t.testdir({
    folder: { 'b.md': 'b', 'a.md': 'a', 'é.md': '', '.x.swp': '', Z: {}, 'B.md': '' },
  })
  symlinkSync('a.md', join(home, 'folder/link.md'))
  writeFileSync(join(home, 'folder/a:b.md'), '')
  writeFileSync(join(home, 'folder/line\nbreak.md'), '')
  writeFileSync(join(home, 'folder/\ufffd.md'), 'a name that is UTF-8')
  writeFileSync(
    Buffer.concat([Buffer.from(`${home}/folder/caf`), Buffer.from([0xe9]), Buffer.from('.md')]),
    'Latin-1',
  )
  const tree = openTree(home)
  const seen = tree
    .list('folder')
    ?.map(({ name, stat }) => [name, stat.kind === 'skipped' ? stat.reason : stat.kind])
  t.same(seen, [
    ['.x.swp', 'file'],
    ['B.md', 'file'],
    ['Z', 'folder'],
    ['a.md', 'file'],
    ['a:b.md', 'unreadable'],
    ['b.md', 'file'],
    ['caf\ufffd.md', 'unreadable'],
    ['line\nbreak.md', 'unreadable'],
    ['link.md', 'symlink'],
    ['é.md', 'file'],
    ['\ufffd.md', 'file'],
  ])
  t.same([...tree.entries('folder')!], tree.list('folder'))
})

t.test('an entry that vanishes while its folder is listed is left out', async (t) => {
  const home = t.testdir({ folder: { 'a.md': '', 'b.md': '' } })
  const isA = (path: unknown) => String(path).endsWith('a.md')
  const fs = before('lstatSync', () => rmSync(join(home, 'folder/a.md')), isA)
  t.same(
    openTree(home, { fs })
      .list('folder')
      ?.map(({ name }) => name),
    ['b.md'],
  )
})

t.test("a folder's stamp changes when an entry is added, removed or renamed", async (t) => {
  const home = t.testdir({ folder: { 'a.md': '' } })
  const tree = openTree(home)
  const first = tree.folderStamp('folder')
  t.match(first, { ino: Number, mtimeMs: Number, ctimeMs: Number })
  t.same(tree.folderStamp('folder'), first)
  t.equal(tree.folderStamp('folder/a.md'), null, 'a file has no folder stamp')
  const old = new Date(Date.now() - 60_000)
  nodeFs.utimesSync(join(home, 'folder'), old, old)
  writeFileSync(join(home, 'folder/b.md'), '')
  t.notSame(tree.folderStamp('folder')?.mtimeMs, old.getTime())
})

t.test('an error that is not the disk’s is thrown unchanged', async (t) => {
  const readSync = () => {
    throw new TypeError('a bug')
  }
  const tree = openTree(homeWithPlan(t), { fs: { ...nodeFs, readSync } })
  t.throws(() => tree.read(plan), TypeError)
})
