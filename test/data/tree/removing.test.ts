import { execFileSync } from 'node:child_process'
import nodeFs, { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTree } from '../../../data/tree/index.ts'
import { before, failing } from './failing-disk.ts'
import { documents, editorSaves, openHome, plan, stampOf, textOf, tmpOf } from './plan-home.ts'

t.test('a file or a link is removed, never what the link names, and never a folder', async (t) => {
  const { home, tree } = openHome(t)
  symlinkSync('plan.md', join(home, documents, 'link.md'))
  execFileSync('mkfifo', [join(home, documents, 'fifo.md')])
  t.equal(tree.remove(`${documents}/link.md`), true)
  t.equal(tree.remove(`${documents}/fifo.md`), true)
  t.equal(textOf(home, plan), 'old')
  t.equal(tree.remove(plan), true)
  t.equal(tree.remove(plan), false)
  t.equal(tree.remove('projects/none/a.md'), false)
  t.throws(() => tree.remove(documents), { name: 'DiskError', errno: 'EISDIR' })
})

t.test('a file that was seen is removed, and nothing is left of it', async (t) => {
  const { home, tree } = openHome(t)
  t.equal(tree.removeIfUnchanged(plan, stampOf(tree, plan)), true)
  t.same(readdirSync(join(home, documents)), [])
  t.same(tmpOf(home), [])
})

t.test('an edit saved at any step of a removal stays', async (t) => {
  for (const [how, save] of Object.entries(editorSaves)) {
    for (const call of ['lstatSync', 'symlinkSync', 'renameSync', 'unlinkSync'] as const) {
      const { home, tree: real } = openHome(t)
      const seen = stampOf(real, plan)
      const isOfPlan = (path: unknown) => call !== 'lstatSync' || String(path).endsWith('/plan.md')
      const tree = openTree(home, { fs: before(call, () => save(join(home, plan)), isOfPlan) })
      // Before the last step the name is free again: what is saved then is a file of its own.
      t.equal(tree.removeIfUnchanged(plan, seen), call === 'unlinkSync', `${how}, before ${call}`)
      t.equal(textOf(home, plan), 'edited', `${how}, before ${call}`)
      t.same(tree.staged(), [], `${how}, before ${call}`)
    }
  }
})

t.test('a folder or a link that has replaced the seen file is not removed', async (t) => {
  const swaps: Record<string, (path: string) => void> = {
    folder: (path) => mkdirSync(path),
    link: (path) => symlinkSync('elsewhere', path),
  }
  for (const [what, swap] of Object.entries(swaps)) {
    const { home, tree: real } = openHome(t)
    const seen = stampOf(real, plan)
    const happen = () => {
      rmSync(join(home, plan))
      swap(join(home, plan))
    }
    const tree = openTree(home, { fs: before('renameSync', happen) })
    t.equal(tree.removeIfUnchanged(plan, seen), false, what)
    t.ok(lstatSync(join(home, plan))[what === 'folder' ? 'isDirectory' : 'isSymbolicLink']())
    t.same(tmpOf(home), [])
  }
})

t.test('a file whose removal fails stays at its path', async (t) => {
  const { home, tree: real } = openHome(t)
  const seen = stampOf(real, plan)
  const isAside = (path: unknown) => String(path).includes('/displaced-')
  const tree = openTree(home, { fs: failing('unlinkSync', 'EIO', isAside) })
  t.throws(() => tree.removeIfUnchanged(plan, seen), { name: 'DiskError', errno: 'EIO' })
  t.equal(textOf(home, plan), 'old')
})

t.test('a file whose removal was interrupted by a crash is back after the next start', async (t) => {
  const { home, tree } = openHome(t)
  const crash = () => {
    throw new Error('The process ends here')
  }
  let isSetAside = false
  const renameSync: typeof nodeFs.renameSync = (from, to) => {
    if (isSetAside) crash()
    nodeFs.renameSync(from, to)
    isSetAside = true
  }
  const ending = openTree(home, { fs: { ...nodeFs, renameSync, linkSync: crash, unlinkSync: crash } })
  t.throws(() => ending.removeIfUnchanged(plan, stampOf(tree, plan)), /ends here/)
  t.equal(tree.stat(plan).kind, 'missing')
  t.same(tree.restoreSetAside(), { restored: [plan], notRestored: [] })
  t.equal(textOf(home, plan), 'old')
})

t.test('only a path that is itself a link is removed as a link', async (t) => {
  const { home, tree } = openHome(t)
  symlinkSync('plan.md', join(home, documents, 'link.md'))
  symlinkSync('nowhere', join(home, documents, 'dangling.md'))
  symlinkSync(join(home, documents), join(home, 'projects/linked'))
  for (const path of [plan, documents, 'projects/linked/link.md', 'projects/none/a.md', `${plan}/a.md`]) {
    t.equal(tree.isLink(path), false, path)
    t.equal(tree.removeLink(path), false, path)
  }
  for (const name of ['link.md', 'dangling.md']) {
    t.equal(tree.isLink(`${documents}/${name}`), true)
    t.equal(tree.removeLink(`${documents}/${name}`), true)
    t.equal(tree.removeLink(`${documents}/${name}`), false)
  }
  t.equal(textOf(home, plan), 'old')
})
