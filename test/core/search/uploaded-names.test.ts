import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Project } from '../../../core/access/project.ts'
import { UploadedNames } from '../../../core/search/uploaded-names.ts'
import { openTree } from '../../../data/tree/index.ts'
import { TestClock } from '../../support/test-clock.ts'

const project = { id: 'p', slug: 'harbour', folder: 'harbour', name: 'Harbour' } as Project

t.test('folders of uploaded files are listed again only when they have changed', (t) => {
  const home = t.testdir({
    projects: { harbour: { files: { 'a.pdf': '', plans: { 'b.pdf': '', '.hidden': '' } } } },
  })
  const files = join(home, 'projects/harbour/files')
  const tree = openTree(home)
  const listed: string[] = []
  const names = new UploadedNames({
    tree: {
      ...tree,
      entries: (path: string) => {
        listed.push(path.slice('projects/harbour/'.length))
        return tree.entries(path)
      },
    },
    // Long after the folders were made, as far as their stamps tell.
    clock: new TestClock(Date.now() + 60_000),
  })
  const found = (entries = 100) => {
    const budget = { entries, ofEach: 100, isShort: false }
    listed.length = 0
    const titles = [...names.in(project, budget)].flatMap((one) => one?.title ?? []).sort()
    return { titles, isShort: budget.isShort }
  }
  t.same(found(), { titles: ['a.pdf', 'b.pdf'], isShort: false })
  t.same(listed, ['files', 'files/plans'])
  t.same(found(), { titles: ['a.pdf', 'b.pdf'], isShort: false })
  t.same(listed, [])

  renameSync(join(files, 'plans/b.pdf'), join(files, 'plans/c.pdf'))
  t.same(found().titles, ['a.pdf', 'c.pdf'])
  t.same(listed, ['files/plans'])
  mkdirSync(join(files, 'photos'))
  writeFileSync(join(files, 'photos/d.jpg'), '')
  t.same(found().titles, ['a.pdf', 'c.pdf', 'd.jpg'])
  t.same(listed, ['files', 'files/photos'])
  t.same(found(1), { titles: ['a.pdf'], isShort: true }, 'what is cached counts as what is listed does')
  t.end()
})

t.test('a folder that may change again under the same stamp is listed again', (t) => {
  const home = t.testdir({ projects: { harbour: { files: {} } } })
  const clock = new TestClock()
  const stamp = { ino: 1, mtimeMs: clock.now() - 5, ctimeMs: clock.now() - 5 }
  const names = new UploadedNames({ tree: { ...openTree(home), folderStamp: () => stamp }, clock })
  const found = () =>
    [...names.in(project, { entries: 10, ofEach: 10, isShort: false })].map((one) => one?.title)
  t.same(found(), [])
  writeFileSync(join(home, 'projects/harbour/files/late.pdf'), '')
  t.same(found(), ['late.pdf'])
  t.end()
})
