import { join } from 'node:path'
import t from 'tap'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { testFolder } from '../support/test-folder.ts'
import { runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

t.test('the command line adds members to rooms, and lists rooms and projects', async (t) => {
  const home = join(testFolder(t), 'home')
  const { key } = await createWorkspace({ home, name: 'Org', owner: 'Ada' })
  const { url, child, ended } = await serve(t, home)
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { Authorization: `Bearer ${key}` }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) ?? null })
    return response.json()
  }
  const run = (...args: string[]) => runWorkroom(...args, '--home', home)
  const { member: bot } = await call('POST', '/api/members', { name: 'Bot', type: 'agent' })
  const { _id: crew } = await call('POST', '/api/rooms', { name: 'The crew', type: 'closed' })

  const joined = await run('room', 'join', '--room', 'The crew', '--member', 'bot', '--json')
  t.match(joined, { code: 0, stderr: '' })
  t.strictSame(JSON.parse(joined.stdout), {
    room: 'the-crew',
    roomId: crew,
    memberId: bot._id,
    involvement: 'mentions',
    already: false,
  })
  const mention = { body: `@[Bot](${bot._id})` }
  t.notOk((await call('POST', `/api/rooms/${crew}/messages`, mention)).unreached, 'the server knows at once')
  const [again, rooms, projects, table, nowhere] = await Promise.all([
    run('room', 'join', '--room', 'the-crew', '--member', 'Bot'),
    run('room', 'list', '--json'),
    run('project', 'list', '--json'),
    run('room', 'list'),
    run('room', 'join', '--room', 'nowhere', '--member', 'Bot'),
  ])
  t.match(again, { code: 0, stdout: 'Bot was already in the room The crew.\n' })
  t.match(JSON.parse(rooms.stdout), {
    rooms: [
      { slug: 'general', name: 'general', type: 'open', project: null, members: 2 },
      { id: crew, slug: 'the-crew', name: 'The crew', type: 'closed', project: null, members: 2 },
    ],
  })
  t.match(JSON.parse(projects.stdout), {
    projects: [{ id: /^prj_/, slug: 'general', name: 'General', archivedAt: null, members: 1 }],
  })
  t.match(table.stdout, /^id +slug +name +type +project +members\nroom_/)
  t.match(nowhere, { code: 1, stdout: '', stderr: /^workroom: There is no room nowhere\. List them with/ })
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('a member who is not in the project of a room cannot be added to the room', async (t) => {
  const home = join(testFolder(t), 'home')
  const { key } = await createWorkspace({ home, name: 'Org', owner: 'Ada' })
  const { url, child, ended } = await serve(t, home)
  await fetch(`${url}/api/rooms`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ name: 'Within', type: 'open', projectId: 'general' }),
  })
  await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent')
  const joining = () => runWorkroom('room', 'join', '--home', home, '--room', 'within', '--member', 'bot')
  t.match(await joining(), { code: 1, stderr: /Bot is not a member of the room's project/ })
  await runWorkroom('project', 'join', '--home', home, '--project', 'general', '--member', 'bot')
  t.match(await joining(), { code: 0, stdout: /Bot is in the room Within, and is notified of mentions/ })
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})
