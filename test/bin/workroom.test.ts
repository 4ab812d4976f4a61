import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openForCommandLine } from '../../core/workspace/command-line.ts'
import { testFolder } from '../support/test-folder.ts'
import { runProcess, runWorkroom, runWorkroomWith, startWorkroom } from './run-workroom.ts'

/** A home made by `init`, opened in this process as a running server does. */
async function freshWorkspace(t: Test) {
  const home = join(testFolder(t), 'home')
  const { json } = await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada', '--json')
  const administration = openForCommandLine(home)
  t.teardown(administration.close)
  const refresh = () => {
    administration.members.refresh()
    administration.projects.refresh()
  }
  return { ...administration, home, owner: json.member, ownerKey: json.key as string, refresh }
}

t.test('help lists the commands on standard output', async (t) => {
  const [bare, help, flag, one] = await Promise.all([
    runProcess(t),
    runWorkroom('help'),
    runWorkroom('--help'),
    runWorkroom('member', 'add', '-h'),
  ])
  for (const { code, stdout, stderr } of [bare, help, flag]) {
    t.equal(code, 0)
    t.equal(stderr, '')
    for (const words of ['serve', 'init', 'member add', 'key revoke', 'project join', 'doctor']) {
      t.match(stdout, `workroom ${words} `)
    }
  }
  t.equal(one.code, 0)
  t.match(one.stdout, /--type human\|agent/)
  t.notMatch(one.stdout, /workroom serve/)
})

t.test('--version prints the version of the package', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  t.match(await runWorkroom('--version'), { code: 0, stdout: `${version}\n` })
})

t.test('wrong usage exits with 2, says what is wrong and shows the usage', async (t) => {
  const home = join(testFolder(t), 'home')
  const cases: [args: string[], reason: RegExp][] = [
    [['dance'], /unknown command dance/],
    [['member'], /member is ambiguous/],
    [['member', 'add', 'Bob'], /unknown command member add Bob/],
    [['member', 'add', '--type', 'human'], /--name is missing/],
    [['member', 'add', '--name', 'Bob', '--type', 'robot'], /--type must be human or agent/],
    [['member', 'list', '--slug', 'x'], /member list does not accept --slug/],
    [['serve', '--json'], /serve does not accept --json/],
    [['init', '--nam', 'Org'], /--nam/],
    [['init', '--name'], /--name/],
  ]
  const outcomes = await Promise.all(
    cases.map(([args], index) => {
      const all = [...args, '--home', home]
      // The first in a process, whose status it is.
      return index === 0 ? runProcess(t, ...all) : runWorkroom(...all)
    }),
  )
  for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
    t.equal(code, 2)
    t.equal(stdout, '')
    t.match(stderr, cases[index]![1])
    t.match(stderr, /Usage:\n {2}workroom /)
    const [word] = cases[index]![0]
    if (word !== 'dance') t.notMatch(stderr, /\n {2}workroom (?:key|doctor)/, `only usage of ${word}`)
  }
  t.notOk(existsSync(home))
})

t.test('init makes a workspace and prints its owner and key', async (t) => {
  const home = join(testFolder(t), 'home')
  const args = ['--name', 'Analytical Engines', '--owner', 'Ada', '--email', 'ada@example.org']
  const { code, stdout, json } = await runWorkroom('init', '--home', home, ...args, '--json')
  t.equal(code, 0)
  t.equal(stdout.trim().split('\n').length, 1)
  t.match(json, {
    workspace: { id: /^wsp_/, name: 'Analytical Engines', slug: 'analytical-engines' },
    member: { id: /^mem_/, name: 'Ada', type: 'human', role: 'owner' },
    key: /^wr_/,
  })
  t.same(Object.keys(json), ['workspace', 'member', 'key'])
  t.same(Object.keys(json.workspace), ['id', 'name', 'slug'])
  t.same(Object.keys(json.member), ['id', 'name', 'type', 'role'])
  const again = await runWorkroom('init', '--home', home, ...args)
  t.match(again, { code: 1, stdout: '', stderr: /^workroom: .* already holds a workspace\.\n$/ })
})

t.test('--home takes precedence over WORKROOM_HOME, and flags may precede the command', async (t) => {
  const { home } = await freshWorkspace(t)
  const elsewhere = join(t.testdirName, 'elsewhere')
  const [before, variable, both] = await Promise.all([
    runWorkroom('--home', home, '--json', 'member', 'list'),
    startWorkroom(t, ['member', 'list', '--json'], { WORKROOM_HOME: home }).ended,
    runWorkroomWith({ WORKROOM_HOME: elsewhere }, 'member', '--home', home, 'list', '--json'),
  ])
  for (const { json } of [before, variable, both]) t.match(json, { members: [{ name: 'Ada' }] })
  const [none, file] = await Promise.all([
    runWorkroom('member', 'list', '--home', elsewhere),
    runProcess(t, 'serve', '--home', 'package.json'),
  ])
  t.match(file, {
    code: 1,
    stdout: '',
    stderr: /^workroom: .*package.json.* cannot be used: .*not a folder\.\n$/,
  })
  t.match(none, { code: 1, stdout: '', stderr: /^workroom: There is no workspace in .*workroom init .*\n$/ })
})

t.test('a member is added with a working key while another process has the workspace open', async (t) => {
  const { home, members, owner, refresh } = await freshWorkspace(t)
  const { code, json } = await runProcess(
    t,
    'member',
    'add',
    '--home',
    home,
    '--name',
    'Grace',
    '--type',
    'human',
    '--role',
    'admin',
    '--email',
    'grace@example.org',
    '--json',
  )
  t.equal(code, 0)
  t.same(Object.keys(json), ['member', 'key'])
  t.match(json.member, { id: /^mem_/, name: 'Grace', type: 'human', role: 'admin' })
  refresh()
  t.match(members.authenticate(json.key), { member: { id: json.member.id, email: 'grace@example.org' } })

  const agent = await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent')
  t.match(agent, { code: 0, stdout: /shown only once/ })
  refresh()
  const [key] = agent.stdout.match(/wr_\w+/)!
  t.match(members.authenticate(key), { member: { name: 'Bot', role: 'member', ownerId: owner.id } })

  const taken = await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent')
  t.match(taken, { code: 1, stdout: '', stderr: /^workroom: The name Bot is taken.*\n$/ })
})

t.test('the keys of a deactivated member do not work until the member is activated again', async (t) => {
  const { home, members, refresh } = await freshWorkspace(t)
  const bob = await members.add({ name: 'Bob', type: 'human' })
  const off = await runWorkroom('member', 'deactivate', '--home', home, '--member', 'bob', '--json')
  t.match(off, { code: 0, json: { member: { id: bob.member.id, status: 'deactivated' } } })
  refresh()
  t.equal(members.authenticate(bob.key), null)
  const list = await runWorkroom('member', 'list', '--home', home)
  t.match(list.stdout, /Bob +human +member +deactivated/)
  t.match(await runWorkroom('member', 'activate', '--home', home, '--member', bob.member.id), { code: 0 })
  refresh()
  t.ok(members.authenticate(bob.key))
  const last = await runWorkroom('member', 'deactivate', '--home', home, '--member', 'Ada')
  t.match(last, { code: 1, stderr: /last active owner/ })
})

t.test('keys are added, listed and revoked', async (t) => {
  const { home, members, ownerKey, refresh } = await freshWorkspace(t)
  const added = await runWorkroom(
    'key',
    'add',
    '--home',
    home,
    '--member',
    'Ada',
    '--scopes',
    'posts:read, cards:read',
    '--json',
  )
  t.equal(added.code, 0)
  t.same(Object.keys(added.json), ['id', 'key'])
  refresh()
  t.same([...members.authenticate(added.json.key)!.scopes], ['posts:read', 'cards:read'])

  const list = await runWorkroom('key', 'list', '--home', home, '--member', 'ada', '--json')
  t.match(list.json, { keys: [{ scopes: ['*'] }, { id: added.json.id, lastUsedAt: null }] })
  t.notOk(list.stdout.includes(added.json.key) || list.stdout.includes(ownerKey))

  t.match(await runWorkroom('key', 'revoke', '--home', home, '--key', added.json.id), {
    code: 0,
    stderr: '',
  })
  refresh()
  t.equal(members.authenticate(added.json.key), null)
  t.ok(members.authenticate(ownerKey))
  const refused = await Promise.all([
    runWorkroom('key', 'revoke', '--home', home, '--key', added.json.id),
    runWorkroom('key', 'add', '--home', home, '--member', 'nobody'),
    runWorkroom('key', 'add', '--home', home, '--member', 'Ada', '--scopes', 'fly'),
  ])
  for (const { code, stderr } of refused) {
    t.equal(code, 1)
    t.match(stderr, /^workroom: .*\n$/)
  }
})

t.test('a project is added with its folders, and members join it', async (t) => {
  const { home, members, projects, owner, refresh } = await freshWorkspace(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  const added = await runWorkroom('project', 'add', '--home', home, '--name', 'Notes & more', '--json')
  t.equal(added.code, 0)
  t.match(added.json, { id: /^prj_/, slug: 'notes-more', name: 'Notes & more' })
  t.same(Object.keys(added.json), ['id', 'slug', 'name'])
  t.equal(readFileSync(join(home, 'projects/notes-more/.workroom'), 'utf8'), `${added.json.id}\n`)
  refresh()
  const project = projects.find('notes-more')!
  t.same(projects.members(project), [{ memberId: owner.id, role: 'lead' }])

  const joined = await runWorkroom(
    'project',
    'join',
    '--home',
    home,
    '--project',
    'Notes & more',
    '--member',
    'bob',
    '--json',
  )
  t.match(joined, { code: 0, json: { project: 'notes-more', memberId: bob.id, role: 'member' } })
  refresh()
  t.equal(projects.roleOf(project, bob), 'member')

  const led = await runWorkroom(
    'project',
    'add',
    '--home',
    home,
    '--name',
    'X',
    '--slug',
    'led',
    '--lead',
    'Bob',
  )
  t.match(led, { code: 0, stdout: /projects\/led.*Bob/ })
  const refused = await Promise.all([
    runWorkroom('project', 'add', '--home', home, '--name', 'X', '--slug', 'led'),
    runWorkroom('project', 'join', '--home', home, '--project', 'nothing', '--member', 'Bob'),
  ])
  for (const { code, stderr } of refused) {
    t.equal(code, 1)
    t.match(stderr, /^workroom: .*\n$/)
  }
})

t.test('the workspace can be renamed', async (t) => {
  const { home } = await freshWorkspace(t)
  const rename = (name: string, ...args: string[]) =>
    runWorkroom('workspace', 'rename', '--home', home, '--name', name, ...args)
  t.match(await rename('Harbour'), { code: 0, stdout: 'The workspace is now named Harbour.\n' })
  const { json } = await rename('Pier', '--json')
  t.match(json, { workspace: { id: /^wsp_/, name: 'Pier', slug: 'org' } })
  t.match(await rename(' '), { code: 1, stdout: '', stderr: /1 to 80 characters/ })
})
