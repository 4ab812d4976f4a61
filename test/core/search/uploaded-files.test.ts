import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Project } from '../../../core/access/project.ts'
import type { ProjectStore } from '../../../core/projects/project-store.ts'
import { matchAllTrigrams } from '../../../core/search/trigrams.ts'
import { UploadedFiles } from '../../../core/search/uploaded-files.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { uploadedFilesTable } from '../../../data/tables/uploaded-files.ts'
import { openTree } from '../../../data/tree/index.ts'

const project = { id: 'p', slug: 'harbour', folder: 'harbour', name: 'Harbour' } as Project

/** @param laterMs how far the clock is after the folders' stamps */
function openUploads(t: Test, files: NonNullable<Parameters<Test['testdir']>[0]>, laterMs = 60_000) {
  const home = t.testdir({ projects: { harbour: { files } } })
  const database = openDatabase(join(home, 'workroom.db'))
  database.connection.pragma('foreign_keys = OFF')
  t.teardown(() => database.close())
  const tree = openTree(home)
  const listed: string[] = []
  const uploads = new UploadedFiles({
    database,
    projects: { all: () => [project] } as unknown as ProjectStore,
    uploadedFiles: uploadedFilesTable(database.connection),
    diskNow: () => Date.now() + laterMs,
    onProblem: (problem) => t.fail(problem),
    tree: {
      ...tree,
      entries: (path: string) => {
        listed.push(path.slice('projects/harbour/'.length))
        return tree.entries(path)
      },
    },
  })
  const found = (words: string | null = null) =>
    [...uploads.find(words, new Map([['p', project]]))].flatMap((one) => one?.name ?? []).sort()
  const refreshed = async () => {
    listed.length = 0
    await uploads.refresh(project)
    return found()
  }
  return { folder: join(home, 'projects/harbour/files'), uploads, listed, found, refreshed }
}

t.test('a folder of uploaded files is listed again only after a change', async (t) => {
  const files = { 'a.pdf': '', plans: { 'b.pdf': '', '.hidden': '' } }
  const { folder, listed, refreshed } = openUploads(t, files)
  t.strictSame(await refreshed(), ['a.pdf', 'plans/b.pdf'])
  t.strictSame(listed, ['files', 'files/plans'])
  t.strictSame(await refreshed(), ['a.pdf', 'plans/b.pdf'])
  t.strictSame(listed, [])

  renameSync(join(folder, 'plans/b.pdf'), join(folder, 'plans/c.pdf'))
  t.strictSame(await refreshed(), ['a.pdf', 'plans/c.pdf'])
  t.strictSame(listed, ['files/plans'])
  mkdirSync(join(folder, 'photos'))
  writeFileSync(join(folder, 'photos/d.jpg'), '')
  t.strictSame(await refreshed(), ['a.pdf', 'photos/d.jpg', 'plans/c.pdf'])
  t.strictSame(listed, ['files', 'files/photos'])
})

t.test('the files of a deleted or moved folder are no longer found at the old path', async (t) => {
  const { folder, refreshed } = openUploads(t, { 'a.pdf': '', plans: { old: { 'b.pdf': '' } } })
  await refreshed()
  renameSync(join(folder, 'plans'), join(folder, 'drawings'))
  t.strictSame(await refreshed(), ['a.pdf', 'drawings/old/b.pdf'])
  rmSync(join(folder, 'drawings'), { recursive: true })
  t.strictSame(await refreshed(), ['a.pdf'])
  rmSync(folder, { recursive: true })
  t.strictSame(await refreshed(), [])
})

t.test('a folder that may change again within the same stamp is listed again', async (t) => {
  const { folder, refreshed } = openUploads(t, {}, 0)
  t.strictSame(await refreshed(), [])
  writeFileSync(join(folder, 'late.pdf'), '')
  utimesSync(folder, new Date(), new Date())
  t.strictSame(await refreshed(), ['late.pdf'])
})

t.test('trigrams find every name with the words, in any case and with any accents', async (t) => {
  const names = { 'Crème brûlée.txt': '', 'big.bin': '', '2026-report.csv': '', 'привет.md': '' }
  const { found, refreshed } = openUploads(t, { ...names, reports: { 'q3.pdf': '' } })
  await refreshed()
  const leadsTo = (...words: string[]) => found(matchAllTrigrams(words))
  t.strictSame(leadsTo('creme'), ['Crème brûlée.txt'])
  t.strictSame(leadsTo('rulee', 'txt'), ['Crème brûlée.txt'])
  t.strictSame(leadsTo('big.bin'), ['big.bin'])
  t.strictSame(leadsTo('6-rep'), ['2026-report.csv'])
  t.strictSame(leadsTo('риве'), ['привет.md'])
  t.strictSame(leadsTo('reports/q3'), ['reports/q3.pdf'])
  t.strictSame(leadsTo('zeppelin'), [])
  t.equal(matchAllTrigrams(['a', 'bc', '%%%', '\0\0\0']), null)
})

t.test('refreshes requested during a refresh see files that came after it began', async (t) => {
  const { folder, uploads, found } = openUploads(t, { 'a.pdf': '' })
  const first = uploads.refresh(project)
  const second = uploads.refresh(project)
  const third = uploads.refresh(project)
  await first
  writeFileSync(join(folder, 'b.pdf'), '')
  t.equal(await second, true)
  t.equal(await third, true)
  t.strictSame(found(), ['a.pdf', 'b.pdf'])
})
