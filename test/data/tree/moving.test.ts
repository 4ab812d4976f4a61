import nodeFs, {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { type FileSystem, openTree } from '../../../data/tree/index.ts'
import { before } from './failing-disk.ts'
import { documents, openHome, plan, stampOf, textOf } from './plan-home.ts'

t.test('a move keeps the file and takes its folders with it', async (t) => {
  const { home, tree } = openHome(t)
  const known = stampOf(tree, plan)
  const moved = tree.move(plan, 'projects/general/documents/guides/plan.md')
  t.equal(tree.stat(plan).kind, 'missing')
  t.same(moved, stampOf(tree, `${documents}/guides/plan.md`))
  t.match(moved, { ino: known.ino, mtimeMs: known.mtimeMs, size: known.size, birthtimeMs: known.birthtimeMs })
  t.equal(textOf(home, `${documents}/guides/plan.md`), 'old')
})

t.test('a move replaces nothing', async (t) => {
  const { home, tree } = openHome(t)
  writeFileSync(join(home, documents, 'other.md'), 'other')
  mkdirSync(join(home, documents, 'folder.md'))
  linkSync(join(home, plan), join(home, documents, 'PLAN.md'))
  for (const name of ['other.md', 'folder.md', 'PLAN.md']) {
    t.throws(() => tree.move(plan, `${documents}/${name}`), { name: 'DiskError', errno: 'EEXIST' }, name)
  }
  const appear = () => writeFileSync(join(home, documents, 'new.md'), 'theirs')
  const late = openTree(home, { fs: before('linkSync', appear) })
  t.throws(
    () => late.move(plan, `${documents}/new.md`),
    { name: 'DiskError', errno: 'EEXIST' },
    'in the last moment',
  )
  t.same(readdirSync(join(home, documents)).sort(), ['PLAN.md', 'folder.md', 'new.md', 'other.md', 'plan.md'])
  t.equal(textOf(home, plan), 'old')
  t.equal(textOf(home, `${documents}/other.md`), 'other')
})

t.test('only an existing file can be moved', async (t) => {
  const { home, tree } = openHome(t)
  symlinkSync('plan.md', join(home, documents, 'link.md'))
  t.throws(() => tree.move(`${documents}/none.md`, 'projects/new/a.md'), {
    name: 'DiskError',
    errno: 'ENOENT',
  })
  t.throws(() => tree.move('projects/none/a.md', 'projects/new/a.md'), { name: 'DiskError', errno: 'ENOENT' })
  t.throws(() => tree.move(`${documents}/link.md`, 'projects/new/a.md'), {
    name: 'DiskError',
    errno: 'EINVAL',
  })
  t.throws(() => tree.move(documents, 'projects/new/a.md'), { name: 'DiskError', errno: 'EINVAL' })
  t.notOk(existsSync(join(home, 'projects/new')), 'a failed move leaves no folder')
})

t.test('a file saved under the old name during a move stays', async (t) => {
  const { home } = openHome(t)
  const linkAndSave: typeof nodeFs.linkSync = (from, to) => {
    nodeFs.linkSync(from, to)
    rmSync(from)
    writeFileSync(from, 'saved')
  }
  const tree = openTree(home, { fs: { ...nodeFs, linkSync: linkAndSave } })
  tree.move(plan, `${documents}/moved.md`)
  t.equal(textOf(home, plan), 'saved')
  t.equal(textOf(home, `${documents}/moved.md`), 'old')
})

t.test('a move can change only the case of a name, even on a disk that ignores case', async (t) => {
  const { home, tree } = openHome(t)
  tree.move(plan, `${documents}/Plan.md`)
  t.same(readdirSync(join(home, documents)), ['Plan.md'])
  const insensitive = openTree(home, { fs: caseInsensitive() })
  const stamp = insensitive.move(`${documents}/Plan.md`, plan)
  t.same(readdirSync(join(home, documents)), ['plan.md'])
  t.same(stamp, stampOf(insensitive, plan))
})

/** A disk to which names that differ in case are one; as little of it as a move needs. */
function caseInsensitive(): FileSystem {
  const lstat = nodeFs.lstatSync as (path: string, options: object) => nodeFs.Stats | undefined
  const lstatSync = (path: string, options: object) => {
    const name = basename(path).toLowerCase()
    const same = readdirSync(dirname(path)).find((other) => other.toLowerCase() === name)
    return lstat(same === undefined ? path : join(dirname(path), same), options)
  }
  return { ...nodeFs, lstatSync: lstatSync as typeof nodeFs.lstatSync }
}
