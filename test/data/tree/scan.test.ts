import nodeFs, { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTree, scanFolders } from '../../../data/tree/index.ts'
import { failing } from './failing-disk.ts'

t.test('a scan visits each folder once, depth first, without ignored names and links', async (t) => {
  const home = t.testdir({
    projects: {
      b: { documents: { 'two.md': '' } },
      a: {
        documents: { 'one.md': '', 'one.md~': '', guides: { 'setup.md': '' } },
        '.git': { 'HEAD.md': '' },
      },
    },
    trash: { 'old.md': '' },
  })
  symlinkSync(join(home, 'trash'), join(home, 'projects/a/linked'))
  const visits: [string, string[]][] = []
  await scanFolders(openTree(home), ['projects', 'none', 'trash'], (folder, entries) => {
    visits.push([folder, entries.map(({ name }) => name)])
  })
  t.same(visits, [
    ['projects', ['a', 'b']],
    ['projects/a', ['documents', 'linked']],
    ['projects/a/documents', ['guides', 'one.md']],
    ['projects/a/documents/guides', ['setup.md']],
    ['projects/b', ['documents']],
    ['projects/b/documents', ['two.md']],
    ['trash', ['old.md']],
  ])
})

t.test('an excluded folder is listed, and neither it nor a folder below it is visited', async (t) => {
  const home = t.testdir({ a: { files: { deep: { 'one.md': '' } }, documents: {} } })
  const visits: [string, string[]][] = []
  const visit = (folder: string, entries: { name: string }[]) =>
    void visits.push([folder, entries.map(({ name }) => name)])
  await scanFolders(openTree(home), ['a'], visit, { isExcluded: (folder) => folder === 'a/files' })
  t.same(visits, [
    ['a', ['documents', 'files']],
    ['a/documents', []],
  ])
})

t.test('an unreadable folder is reported, and does not count as empty', async (t) => {
  const home = t.testdir({ projects: { a: { 'one.md': '' }, b: { 'two.md': '' } } })
  const fs = failing('readdirSync', 'EACCES', (path) => String(path).endsWith('/a'))
  const visited: string[] = []
  const unreadable: string[] = []
  await scanFolders(openTree(home, { fs }), ['projects', 'none'], (folder) => visited.push(folder), {
    onUnreadable: (folder) => unreadable.push(folder),
  })
  t.same(visited, ['projects', 'projects/b'])
  t.same(unreadable, ['projects/a'])
})

t.test('a scan yields to other work, even within one large folder', async (t) => {
  const home = t.testdir({ folder: {} })
  for (let i = 0; i < 2000; i++) nodeFs.writeFileSync(join(home, `folder/${i}.md`), '')
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  let found = 0
  await scanFolders(openTree(home), ['folder'], (_folder, entries) => (found = entries.length), {
    pauseEveryMs: 0,
  })
  isDone = true
  t.equal(found, 2000)
  t.ok(turns > 1000, `${turns} turns`)
})

t.test('an error of the visitor ends the scan', async (t) => {
  const home = t.testdir({ a: { b: {} } })
  const visit = () => {
    throw new Error('enough')
  }
  await t.rejects(scanFolders(openTree(home), ['a'], visit), /enough/)
})
