import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { workspaceExists } from '../../../core/home/home.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { createWorkspace, createWorkspaceForFolders } from '../../../core/workspace/setup.ts'
import { HomeLockedError, lockHome } from '../../../data/tree/index.ts'

const freshHome = (t: Test) => join(t.testdir(), 'home')

const create = (home: string) => createWorkspace({ home, name: 'Analytical Engines', owner: 'Ada' })

t.test(
  'a new workspace has an owner with a key, and a project general with a welcome document',
  async (t) => {
    const home = freshHome(t)
    t.notOk(workspaceExists(home))
    const { workspace, member, key } = await create(home)
    t.match(workspace, { id: /^wsp_/, name: 'Analytical Engines', slug: 'analytical-engines' })
    t.match(member, { id: /^mem_/, name: 'Ada', type: 'human', role: 'owner' })
    t.ok(workspaceExists(home))

    const { members, projects, workspace: opened, close } = openForCommandLine(home)
    t.teardown(close)
    t.same(opened, workspace)
    t.equal(members.authenticate(key)!.member.id, member.id)
    const general = projects.find('general')!
    t.equal(projects.roleOf(general, member), 'lead')
    const file = (name: string) => readFileSync(join(home, 'projects', 'general', name), 'utf8')
    t.equal(file('.workroom'), `${general.id}\n`)
    t.match(file('README.md'), /^# General\n/)
    t.match(file('documents/welcome.md'), /^# Welcome\n/)
  },
)

t.test('only the owner can open the database’s folder, and no unfinished files are left in it', async (t) => {
  const home = freshHome(t)
  await create(home)
  const folder = join(home, '.workroom')
  t.equal(statSync(folder).mode & 0o777, 0o700)
  t.same(
    readdirSync(folder).filter((name) => /unfinished|-wal|-shm/.test(name)),
    [],
  )
})

t.test('an existing home is refused and not changed', async (t) => {
  const home = freshHome(t)
  const { key } = await create(home)
  await t.rejects(create(home), { code: 'conflict', message: /already/ })
  const { members, close } = openForCommandLine(home)
  t.ok(members.authenticate(key))
  await close()
})

t.test('a workspace that could not be created leaves none, and can be created afterwards', async (t) => {
  const home = freshHome(t)
  await t.rejects(createWorkspace({ home, name: 'X', owner: 'a@b' }), { code: 'bad_request' })
  await t.rejects(createWorkspace({ home, name: 'X', owner: 'Ada', email: 'no' }), { code: 'bad_request' })
  await t.rejects(createWorkspace({ home, name: ' ', owner: 'Ada' }), { code: 'bad_request' })
  t.notOk(workspaceExists(home))
  await create(home)
  t.ok(workspaceExists(home))
})

t.test('while one process creates or serves a home, another cannot', async (t) => {
  const home = freshHome(t)
  mkdirSync(home)
  const lock = lockHome(home)
  t.teardown(() => lock.release())
  await t.rejects(create(home), HomeLockedError)
  t.notOk(workspaceExists(home))
})

t.test('a home that lost its database gets a new workspace only on request', async (t) => {
  const home = freshHome(t)
  await create(home)
  const readme = join(home, 'projects', 'general', 'README.md')
  writeFileSync(readme, 'mine')
  const marker = readFileSync(join(home, 'projects', 'general', '.workroom'), 'utf8')
  rmSync(join(home, '.workroom', 'workroom.db'))
  writeFileSync(join(home, '.workroom', 'workroom.db-wal'), 'what was not yet in the lost one')
  await t.rejects(create(home), { code: 'conflict', message: /is missing, .* general .*workroom repair/ })
  t.notOk(workspaceExists(home))
  const { key } = await createWorkspaceForFolders({ home, name: 'Testers', owner: 'Ada' })
  t.equal(readFileSync(readme, 'utf8'), 'mine')
  t.equal(readFileSync(join(home, 'projects', 'general', '.workroom'), 'utf8'), marker)
  const { members, projects, close } = openForCommandLine(home)
  t.teardown(close)
  t.ok(members.authenticate(key))
  t.same(projects.all(), [], 'a start adds the projects')
})

t.test('a home inside another workspace’s project is refused', async (t) => {
  const home = freshHome(t)
  await create(home)
  for (const inside of ['projects/general', 'projects/general/documents/deep/er']) {
    await t.rejects(create(join(home, inside)), { code: 'conflict', message: /is in a project/ })
  }
  t.same(readdirSync(join(home, 'projects', 'general', 'documents')), ['welcome.md'])
  const link = join(t.testdirName, 'link')
  symlinkSync(join(home, 'projects', 'general'), link)
  await t.rejects(create(join(link, 'home')), { code: 'conflict' }, 'even through a symbolic link')
})

t.test("a database in a project's folder is refused", async (t) => {
  const home = freshHome(t)
  const inside = join(home, 'projects', 'general', 'database')
  mkdirSync(inside, { recursive: true })
  symlinkSync(inside, join(home, '.workroom'))
  await t.rejects(create(home), { code: 'conflict', message: /database/ })
  t.same(readdirSync(inside), [])
  writeFileSync(join(inside, 'workroom.db'), '')
  t.throws(() => openForCommandLine(home), { code: 'conflict', message: /database/ })
})

t.test('administering a folder without a workspace only says how to create one', async (t) => {
  const home = freshHome(t)
  t.throws(() => openForCommandLine(home), { code: 'not_found', message: /workroom init/ })
  t.notOk(existsSync(home))
})

t.test('an added project has its folders, and a refused one has none', async (t) => {
  const home = freshHome(t)
  const { member } = await create(home)
  const administration = openForCommandLine(home)
  t.teardown(administration.close)
  const project = await administration.addProject({ name: 'Notes', lead: member })
  t.equal(readFileSync(join(home, 'projects', 'notes', '.workroom'), 'utf8'), `${project.id}\n`)
  t.match(readFileSync(join(home, 'projects', 'notes', 'README.md'), 'utf8'), /^# Notes\n/)
  await t.rejects(administration.addProject({ name: 'X', slug: 'notes', lead: member }), { code: 'conflict' })
  t.same(readdirSync(join(home, 'projects')).sort(), ['general', 'notes'])
})
