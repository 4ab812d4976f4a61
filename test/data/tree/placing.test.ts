import { execFileSync } from 'node:child_process'
import nodeFs, {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import t from 'tap'
import { DiskError, type FileSystem, openTree } from '../../../data/tree/index.ts'
import { before, failing } from './failing-disk.ts'
import { contentsOf, documents, editorSaves, openHome, plan, stampOf, textOf, tmpOf } from './plan-home.ts'

t.test('staged bytes are complete, listed and readable, and can be discarded', async (t) => {
  const { home, tree } = openHome(t)
  t.same(tree.staged(), [], 'without a folder for them')
  const staged = tree.stage(Buffer.from('new'))
  t.same(tree.staged(), [staged])
  t.equal(tree.readStaged(staged.name)?.bytes.toString(), 'new')
  tree.discard(staged.name)
  tree.discard(staged.name)
  t.same(tmpOf(home), [])
  t.equal(tree.readStaged(staged.name), null)
  t.equal(tree.stage(Buffer.alloc(0)).stamp.size, 0)
})

t.test('staged bytes are placed at a free path, whose folders are created', async (t) => {
  const { home, tree } = openHome(t)
  const staged = tree.stage(Buffer.from('new'))
  const path = 'projects/fresh/documents/guides/setup.md'
  const placed = tree.place(staged, path, null)
  t.equal(textOf(home, path), 'new')
  t.same(placed, { stamp: stampOf(tree, path), displaced: [] })
  t.match(placed.stamp, { ino: staged.stamp.ino, size: 3, mtimeMs: staged.stamp.mtimeMs })
  t.equal(lstatSync(join(home, path)).nlink, 1)
  t.same(tmpOf(home), [])
})

t.test('staged bytes replace the expected file, which is displaced as expected', async (t) => {
  const { home, tree } = openHome(t)
  const { ino } = stampOf(tree, plan)
  const { stamp, displaced } = tree.place(tree.stage(Buffer.from('new')), plan, stampOf(tree, plan))
  t.equal(textOf(home, plan), 'new')
  t.same(stamp, stampOf(tree, plan))
  t.match(displaced, [{ wasExpected: true, stamp: { ino } }])
  t.same(tmpOf(home), [displaced[0]!.name])
  tree.discard(displaced[0]!.name)
  t.same(tmpOf(home), [])
})

t.test('an edit that was saved after the stat is displaced as unexpected', async (t) => {
  const saves = { ...editorSaves, 'with the same size': (path: string) => writeFileSync(path, 'OLD') }
  for (const [how, save] of Object.entries(saves)) {
    const { home, tree } = openHome(t)
    const expected = stampOf(tree, plan)
    const staged = tree.stage(Buffer.from('new'))
    save(join(home, plan))
    const edited = textOf(home, plan)
    const { displaced } = tree.place(staged, plan, expected)
    t.equal(textOf(home, plan), 'new', how)
    t.same(contentsOf(tree, displaced), [{ text: edited, wasExpected: false }])
  }
})

t.test('a file at a path that should be free is displaced as unexpected', async (t) => {
  const { tree } = openHome(t)
  const { displaced } = tree.place(tree.stage(Buffer.from('new')), plan, null)
  t.same(contentsOf(tree, displaced), [{ text: 'old', wasExpected: false }])
})

t.test('a file that appears just before the new one is placed is displaced as unexpected', async (t) => {
  const home = t.testdir({ projects: {} })
  const appear = () => writeFileSync(join(home, 'projects/a.md'), 'saved just now')
  const tree = openTree(home, { fs: before('linkSync', appear) })
  const { displaced } = tree.place(tree.stage(Buffer.from('new')), 'projects/a.md', null)
  t.equal(textOf(home, 'projects/a.md'), 'new')
  t.same(contentsOf(tree, displaced), [{ text: 'saved just now', wasExpected: false }])
})

t.test('a file that vanishes just before the new one is placed is no obstacle', async (t) => {
  const home = t.testdir({ projects: { 'a.md': 'old' } })
  const tree = openTree(home, { fs: before('renameSync', () => rmSync(join(home, 'projects/a.md'))) })
  const placed = tree.place(tree.stage(Buffer.from('new')), 'projects/a.md', stampOf(tree, 'projects/a.md'))
  t.same(placed, { stamp: stampOf(tree, 'projects/a.md'), displaced: [] })
  t.same(tmpOf(home), [])
})

t.test('an edit saved while a file is placed is displaced as unexpected, or stays at the path', async (t) => {
  for (const [how, save] of Object.entries(editorSaves)) {
    for (const call of ['symlinkSync', 'renameSync', 'linkSync', 'unlinkSync'] as const) {
      const { home, tree: real } = openHome(t)
      const tree = openTree(home, { fs: before(call, () => save(join(home, plan))) })
      const { stamp, displaced } = tree.place(tree.stage(Buffer.from('new')), plan, stampOf(real, plan))
      const kept = contentsOf(tree, displaced).filter(({ wasExpected }) => !wasExpected)
      const isAtPath = textOf(home, plan) === 'edited'
      t.same(kept, isAtPath ? [] : [{ text: 'edited', wasExpected: false }], `${how}, before ${call}`)
      if (isAtPath) t.notSame(stampOf(tree, plan), stamp, 'its stamp is not that of the placed file')
      else t.equal(textOf(home, plan), 'new')
      t.same(tmpOf(home), [])
    }
  }
})

t.test(
  'a file that is saved again and again while it is replaced stays, and placing fails as busy',
  async (t) => {
    const { home } = openHome(t)
    let count = 0
    const linkSync: typeof nodeFs.linkSync = (from, to) => {
      writeFileSync(to, `saved ${++count}`)
      nodeFs.linkSync(from, to)
    }
    const tree = openTree(home, { fs: { ...nodeFs, linkSync } })
    const staged = tree.stage(Buffer.from('new'))
    t.throws(() => tree.place(staged, plan, null), { name: 'DiskError', errno: 'EBUSY' })
    t.equal(textOf(home, plan), `saved ${count}`)
    t.same(tmpOf(home), [staged.name])
  },
)

t.test('a file that a crash left set aside is back at its path after the next start', async (t) => {
  for (const call of ['symlinkSync', 'renameSync', 'linkSync', 'unlinkSync'] as const) {
    const { home, tree } = openHome(t)
    const staged = tree.stage(Buffer.from('new'))
    const crash = new Error('The process ends here')
    const from = { isOver: false }
    const dying = Object.fromEntries(
      (['symlinkSync', 'renameSync', 'linkSync', 'unlinkSync'] as const).map((name) => [
        name,
        (...args: unknown[]) => {
          if (name === call || from.isOver) {
            from.isOver = true
            throw crash
          }
          return (nodeFs[name] as (...args: unknown[]) => unknown)(...args)
        },
      ]),
    )
    const ended = openTree(home, { fs: { ...nodeFs, ...dying } as FileSystem })
    t.throws(() => ended.place(staged, plan, null), crash, call)
    const next = openTree(home)
    t.same(next.restoreSetAside(), { restored: call === 'linkSync' ? [plan] : [], notRestored: [] })
    t.same(next.restoreSetAside(), { restored: [], notRestored: [] })
    t.equal(textOf(home, plan), call === 'unlinkSync' ? 'new' : 'old', `before ${call}`)
    t.same(
      tmpOf(home).filter((name) => name.startsWith('origin-')),
      [],
    )
  }
})

t.test(
  'a file that the journal will replace needs no link to its origin, unless it cannot be put back',
  async (t) => {
    const { home, tree } = openHome(t, failing('symlinkSync', 'EIO'))
    const journaled = { isJournaled: true }
    const { displaced } = tree.place(tree.stage(Buffer.from('new')), plan, stampOf(tree, plan), journaled)
    t.equal(textOf(home, plan), 'new')
    t.same(contentsOf(tree, displaced), [{ text: 'old', wasExpected: true }])
    t.same(tmpOf(home), [])

    const broken = openTree(home, {
      fs: { ...failing('linkSync', 'EIO'), renameSync: onceThenFailing('EIO') },
    })
    const staged = broken.stage(Buffer.from('newer'))
    t.throws(() => broken.place(staged, plan, null, journaled), { name: 'DiskError', errno: 'EIO' })
    t.equal(broken.stat(plan).kind, 'missing')
    t.same(openTree(home).restoreSetAside(), { restored: [plan], notRestored: [] })
    t.equal(textOf(home, plan), 'new')
  },
)

t.test('a file that was set aside waits for its missing folder', async (t) => {
  const { home, tree } = openHome(t)
  const staged = tree.stage(Buffer.from('new'))
  const ended = openTree(home, {
    fs: { ...failing('linkSync', 'EIO'), renameSync: onceThenFailing('EIO') },
  })
  t.throws(() => ended.place(staged, plan, null), { name: 'DiskError', errno: 'EIO' })
  t.equal(tree.stat(plan).kind, 'missing')
  renameSync(join(home, 'projects/general'), join(home, 'elsewhere'))
  t.same(tree.restoreSetAside(), { restored: [], notRestored: [plan] })
  t.same(
    tree.staged().map(({ name }) => name),
    [staged.name],
    'it is not among the staged files that may be discarded',
  )
  renameSync(join(home, 'elsewhere'), join(home, 'projects/general'))
  t.same(tree.restoreSetAside(), { restored: [plan], notRestored: [] })
  t.same(tree.restoreSetAside(), { restored: [], notRestored: [] })
  t.equal(textOf(home, plan), 'old')
  t.same(tmpOf(home), [staged.name])
})

/** Renames work once. */
function onceThenFailing(errno: string): typeof nodeFs.renameSync {
  let isDone = false
  return (from, to) => {
    if (isDone) throw Object.assign(new Error(errno), { code: errno })
    isDone = true
    nodeFs.renameSync(from, to)
  }
}

t.test('a file placed again after a crash while it was placed is one file', async (t) => {
  const { home, tree } = openHome(t)
  const staged = tree.stage(Buffer.from('new'))
  linkSync(join(home, '.workroom/tmp', staged.name), join(home, documents, 'fresh.md'))
  const placed = tree.place(staged, `${documents}/fresh.md`, null)
  t.same(placed, { stamp: stampOf(tree, `${documents}/fresh.md`), displaced: [] })
  t.same(tmpOf(home), [])
})

t.test(
  'on a disk without links files are placed by renames, and the old ones are kept nevertheless',
  async (t) => {
    for (const errno of ['EPERM', 'ENOTSUP', 'EMLINK']) {
      const fs = { ...failing('linkSync', errno), symlinkSync: failing('symlinkSync', errno).symlinkSync }
      const { home, tree } = openHome(t, fs)
      const known = stampOf(tree, plan)
      const first = tree.place(tree.stage(Buffer.from('new')), plan, known)
      t.same(contentsOf(tree, first.displaced), [{ text: 'old', wasExpected: true }])
      const second = tree.place(tree.stage(Buffer.from('newer')), plan, known)
      t.same(contentsOf(tree, second.displaced), [{ text: 'new', wasExpected: false }])
      tree.place(tree.stage(Buffer.from('fresh')), `${documents}/fresh.md`, null)
      t.equal(textOf(home, `${documents}/fresh.md`), 'fresh')
      tree.move(plan, `${documents}/moved.md`)
      t.equal(textOf(home, `${documents}/moved.md`), 'newer')
      t.same(tmpOf(home), [])
    }
  },
)

t.test('only a regular file is replaced', async (t) => {
  const { home, tree } = openHome(t)
  const at = (name: string) => join(home, documents, name)
  symlinkSync('plan.md', at('link.md'))
  symlinkSync('none.md', at('dangling.md'))
  execFileSync('mkfifo', [at('fifo.md')])
  mkdirSync(at('folder.md'))
  const staged = tree.stage(Buffer.from('new'))
  for (const name of ['link.md', 'dangling.md', 'fifo.md', 'folder.md']) {
    const stat = tree.stat(`${documents}/${name}`)
    t.throws(
      () => tree.place(staged, `${documents}/${name}`, null),
      { name: 'DiskError', errno: 'EEXIST' },
      name,
    )
    t.same(tree.stat(`${documents}/${name}`), stat)
  }
  t.same(tmpOf(home), [staged.name])
  t.equal(textOf(home, plan), 'old')
})

t.test('nothing is placed, moved or removed through a folder that is a link', async (t) => {
  const { home, tree } = openHome(t)
  mkdirSync(join(home, 'outside'))
  writeFileSync(join(home, 'outside/a.md'), 'theirs')
  symlinkSync(join(home, 'outside'), join(home, 'projects/linked'))
  const staged = tree.stage(Buffer.from('new'))
  const refused = { name: 'DiskError' }
  t.throws(() => tree.place(staged, 'projects/linked/a.md', null), refused)
  t.throws(() => tree.place(staged, 'projects/linked/new/a.md', null), refused)
  t.throws(() => tree.move(plan, 'projects/linked/b.md'), refused)
  t.throws(() => tree.move('projects/linked/a.md', `${documents}/b.md`), refused)
  t.throws(() => tree.remove('projects/linked/a.md'), refused)
  t.throws(() => tree.makeFolder('projects/linked/new'), refused)
  t.throws(() => tree.makeFolder(`${plan}/new`), refused, 'a file is no folder')
  await t.rejects(tree.flush('projects/linked/a.md'), refused)
  t.same(readdirSync(join(home, 'outside')), ['a.md'])
  t.equal(textOf(home, 'outside/a.md'), 'theirs')
})

t.test('nothing is staged through a link', async (t) => {
  const { home, tree } = openHome(t)
  mkdirSync(join(home, 'outside'))
  mkdirSync(join(home, '.workroom'))
  symlinkSync(join(home, 'outside'), join(home, '.workroom/tmp'))
  t.throws(() => tree.stage(Buffer.from('new')), DiskError)
  t.same(tree.staged(), [])
  t.same(readdirSync(join(home, 'outside')), [])
})

t.test('a folder is made with its parents, and removed only when empty', async (t) => {
  const { home, tree } = openHome(t)
  tree.makeFolder('projects/a/b/c')
  tree.makeFolder('projects/a/b/c')
  t.ok(existsSync(join(home, 'projects/a/b/c')))
  tree.removeEmptyFolder('projects/a/b')
  t.ok(existsSync(join(home, 'projects/a/b/c')))
  tree.removeEmptyFolder('projects/a/b/c')
  tree.removeEmptyFolder('projects/a/b/c')
  t.notOk(existsSync(join(home, 'projects/a/b/c')))
  symlinkSync('b', join(home, 'projects/a/link'))
  tree.removeEmptyFolder('projects/a/link')
  tree.removeEmptyFolder(plan)
  t.ok(lstatSync(join(home, 'projects/a/link')).isSymbolicLink())
  t.ok(existsSync(join(home, plan)))
})

t.test(
  'a file is made durable with its name, and with the names of the folders above it, once',
  async (t) => {
    const { home } = openHome(t)
    const opened = new Map<number, string>()
    let synced: string[] = []
    const openSync: typeof nodeFs.openSync = (path, ...rest) => {
      const file = nodeFs.openSync(path, ...rest)
      opened.set(file, relative(realpathSync(home), String(path)))
      return file
    }
    const fsync = ((file: number, done: nodeFs.NoParamCallback) => {
      synced.push(opened.get(file)!)
      nodeFs.fsync(file, done)
    }) as typeof nodeFs.fsync
    const tree = openTree(home, { fs: { ...nodeFs, openSync, fsync } })
    const syncedBy = async (path: string) => {
      synced = []
      await tree.flush(path)
      return synced
    }
    t.same(await syncedBy(plan), [plan, '', 'projects', 'projects/general', documents])
    t.same(await syncedBy(plan), [plan, documents])
    t.same(await syncedBy(`${documents}/none.md`), [documents], 'also that it is gone')
    t.same(await syncedBy(`${documents}/none/none.md`), [documents], 'and its folder with it')
    tree.place(tree.stage(Buffer.from('new')), `${documents}/deep/er/a.md`, null)
    t.same(await syncedBy(`${documents}/deep/er/a.md`), [
      `${documents}/deep/er/a.md`,
      documents,
      `${documents}/deep`,
      `${documents}/deep/er`,
    ])
    rmSync(join(home, documents, 'deep'), { recursive: true })
    tree.makeFolder(`${documents}/deep`)
    t.same(await syncedBy(`${documents}/deep`), [`${documents}/deep`, documents], 'a folder as well')
  },
)

t.test('write permission for the folder is enough to place a file, as for any save by rename', async (t) => {
  const { home, tree } = openHome(t)
  chmodSync(join(home, plan), 0o444)
  tree.place(tree.stage(Buffer.from('new')), plan, stampOf(tree, plan))
  t.equal(textOf(home, plan), 'new')
})
