import { renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openTree } from '../../../data/tree/index.ts'

const documents = 'projects/general/documents'
const plan = `${documents}/plan.md`

const homeWithPlan = (t: Test) =>
  t.testdir({ projects: { general: { documents: { 'plan.md': 'a plan\n' } } } })

t.test('a look on arrival shows what a look shows', async (t) => {
  const tree = openTree(homeWithPlan(t))
  for (const path of [plan, plan, `${documents}/none.md`, 'projects/none/plan.md', documents])
    t.same(tree.lookOnArrival(path), tree.look(path), path)
})

t.test('the file itself is looked at for every request', async (t) => {
  const home = homeWithPlan(t)
  const tree = openTree(home)
  tree.lookOnArrival(plan)
  writeFileSync(join(home, plan), 'another plan\n')
  t.match(tree.lookOnArrival(plan), { kind: 'file', stamp: { size: 13 } })
  unlinkSync(join(home, plan))
  t.same(tree.lookOnArrival(plan), { kind: 'missing' })
})

t.test('a folder that was swapped for a link is seen by whoever arrives afterwards', async (t) => {
  const home = homeWithPlan(t)
  const tree = openTree(home)
  t.match(tree.lookOnArrival(plan), { kind: 'file' })
  renameSync(join(home, documents), join(home, 'elsewhere'))
  symlinkSync(join(home, 'elsewhere'), join(home, documents))
  await setImmediate()
  t.same(tree.lookOnArrival(plan), { kind: 'odd', odd: 'symlink' })
})
