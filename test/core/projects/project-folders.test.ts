import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Project } from '../../../core/access/project.ts'
import { createProjectFolders, markerName, readmeText } from '../../../core/projects/project-folders.ts'
import { openTree } from '../../../data/tree/index.ts'

const project: Project = {
  id: 'prj_01',
  slug: 'notes',
  folder: 'Notes',
  name: 'Notes',
  createdMs: 0,
  archivedMs: null,
  deletionsConfirmedMs: null,
  deletedMs: null,
  deletedBy: null,
  deletedFolder: null,
}

function freshHome(t: Test) {
  const home = t.testdir({ '.workroom': { tmp: {} } })
  return {
    home,
    tree: openTree(home),
    path: (...names: string[]) => join(home, 'projects', 'Notes', ...names),
  }
}

t.test('a new project has its folders, its marker and its first files', async (t) => {
  const { home, tree, path } = freshHome(t)
  await createProjectFolders(tree, project, { readme: readmeText(project.name), welcome: '# Welcome\n' })
  t.same(readdirSync(path()).sort(), ['.workroom', 'README.md', 'board', 'documents', 'drafts', 'posts'])
  t.same(readdirSync(path('board')).sort(), ['01-triage', '02-todo', '03-in-progress', '04-done'])
  t.equal(readFileSync(path(markerName), 'utf8'), 'prj_01\n')
  t.match(readFileSync(path('README.md'), 'utf8'), /^# Notes\n\n/)
  t.equal(readFileSync(path('documents', 'welcome.md'), 'utf8'), '# Welcome\n')
  t.same(readdirSync(join(home, '.workroom', 'tmp')), [], 'no temporary files are left')
})

t.test('files that a person has put there stay as they are', async (t) => {
  const { tree, path } = freshHome(t)
  mkdirSync(path('documents'), { recursive: true })
  writeFileSync(path('README.md'), 'mine')
  writeFileSync(path('documents', 'welcome.md'), 'mine as well')
  await createProjectFolders(tree, project, { readme: readmeText(project.name), welcome: '# Welcome\n' })
  t.equal(readFileSync(path('README.md'), 'utf8'), 'mine')
  t.equal(readFileSync(path('documents', 'welcome.md'), 'utf8'), 'mine as well')
})

t.test('a folder with another project’s marker becomes this project’s', async (t) => {
  const { home, tree, path } = freshHome(t)
  await createProjectFolders(tree, { ...project, id: 'prj_00' }, { readme: null })
  await createProjectFolders(tree, project, { readme: null })
  t.equal(readFileSync(path(markerName), 'utf8'), 'prj_01\n')
  t.notOk(existsSync(path('README.md')))
  t.same(readdirSync(join(home, '.workroom', 'tmp')), [])
})

t.test('a project name with markup characters becomes a plain heading in its README', async (t) => {
  const heading = (name: string) => readmeText(name).split('\n', 1)[0]
  t.equal(heading('Notes & more'), '# Notes & more')
  t.equal(heading('C# and F#'), '# C# and F#')
  t.equal(heading('snake_case _a_ #'), '# snake_case \\_a\\_ \\#')
  t.equal(heading('*a* [b] <c> `d` &amp;'), '# \\*a\\* \\[b\\] \\<c> \\`d\\` \\&amp;')
})
