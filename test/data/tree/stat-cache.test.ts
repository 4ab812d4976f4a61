import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openTree } from '../../../data/tree/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'

const documents = 'projects/general/documents'
const plan = `${documents}/plan.md`

const homeWithPlan = (t: Test) =>
  t.testdir({ projects: { general: { documents: { 'plan.md': 'a plan\n' } } } })

t.test('a cached stat equals a stat', async (t) => {
  const tree = openTree(homeWithPlan(t))
  for (const path of [plan, plan, `${documents}/none.md`, 'projects/none/plan.md', documents])
    t.same(tree.statCached(path), tree.stat(path), path)
})

t.test('stats in one run of synchronous code share one system call', (t) => {
  let statCount = 0
  const disk = breakableDisk()
  const tree = openTree(homeWithPlan(t), { fs: disk.fs })
  disk.replace('lstatSync', (real) => {
    statCount += 1
    return real()
  })
  const first = tree.statCached(plan)
  const count = statCount
  t.equal(tree.statCached(plan), first)
  t.equal(statCount, count, 'nothing is read again')
  tree.statCached(`${documents}/none.md`)
  t.equal(statCount, count + 1, 'for another file of the folder, only the file is read')
  t.end()
})

t.test('a stat in a later run reads the disk again', async (t) => {
  const home = homeWithPlan(t)
  const tree = openTree(home)
  tree.statCached(plan)
  writeFileSync(join(home, plan), 'another plan\n')
  await null
  t.match(tree.statCached(plan), { kind: 'file', stamp: { size: 13 } })
  unlinkSync(join(home, plan))
  await null
  t.same(tree.statCached(plan), { kind: 'missing' })
})

t.test('a folder swapped for a link is noticed by the next run', async (t) => {
  const home = homeWithPlan(t)
  const tree = openTree(home)
  t.match(tree.statCached(plan), { kind: 'file' })
  renameSync(join(home, documents), join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), join(home, documents))
  await null
  t.same(tree.statCached(plan), { kind: 'skipped', reason: 'symlink' })
})
