import { join } from 'node:path'
import t from 'tap'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { testFolder } from '../support/test-folder.ts'
import { runWorkroom, runWorkroomWith } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

t.test('an invite created on the command line lets a member join at a running server', async (t) => {
  const home = join(testFolder(t), 'home')
  const { url, child, ended } = await serve(t, home)
  const made = await runWorkroom('invite', '--home', home, '--role', 'admin', '--type', 'agent', '--json')
  t.equal(made.code, 0)
  const { code } = JSON.parse(made.stdout)
  t.equal(made.stdout, `${JSON.stringify({ code })}\n`, 'only the code is printed')
  const onboard = async (name: string) => {
    const body = JSON.stringify({ invite: code, name })
    const response = await fetch(`${url}/v1/onboard`, { method: 'POST', body })
    return { status: response.status, json: await response.json() }
  }
  t.match(await onboard('Bot'), {
    status: 201,
    json: { member: { name: 'Bot', type: 'agent', role: 'admin' }, key: /^wr_/ },
  })
  t.equal((await onboard('Twin')).status, 403, 'an invite without --uses is valid once')
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('invite prints what the code is valid for, and refuses invalid options', async (t) => {
  const home = join(testFolder(t), 'home')
  await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada')
  const invite = (...args: string[]) => runWorkroom('invite', '--home', home, ...args)
  const [said, role, type, word, none] = await Promise.all([
    invite('--uses', '3'),
    invite('--role', 'king'),
    invite('--type', 'robot'),
    invite('--uses', 'many'),
    invite('--uses', '0'),
  ])
  t.match(said, {
    code: 0,
    stdout: /a person or an agent, as member, valid 3 times.*\n\n {2}(?:[0-9A-Z]{4}-?){3}\n/,
  })
  t.match(role, { code: 2, stdout: '', stderr: /--role must be owner or admin or member/ })
  t.match(type, { code: 2, stdout: '', stderr: /--type must be human or agent/ })
  t.match(word, { code: 2, stdout: '', stderr: /--uses must be a whole number/ })
  t.match(none, {
    code: 1,
    stdout: '',
    stderr: /^workroom: uses must be a whole number from 1 to 10000\.\n$/,
  })
})

t.test('invites are printed with how to use them, listed, and revoked by id or code', async (t) => {
  const home = join(testFolder(t), 'home')
  await createWorkspace({ home, name: 'Org', owner: 'Ada' })
  const run = (...args: string[]) =>
    runWorkroomWith({ WORKROOM_PUBLIC_URL: 'https://work.example' }, ...args, '--home', home)
  const person = await run('invite', '--type', 'human', '--uses', '2')
  const [, code] = /https:\/\/work\.example\/join\?invite=([0-9A-Z-]{14})\n/.exec(person.stdout)!
  t.match(person.stdout, `\n\n  ${code}\n`)
  t.notMatch(person.stdout, 'onboard')
  const agent = await run('invite', '--type', 'agent')
  t.match(agent.stdout, /curl .*[0-9A-Z-]{14}.* https:\/\/work\.example\/v1\/onboard\n/)
  t.notMatch(agent.stdout, '/join')

  const listed = JSON.parse((await run('invite', 'list', '--json')).stdout).invites
  t.match(listed, [
    { id: /^inv_/, role: 'member', type: 'human', usesLeft: 2, expiresAt: null },
    { id: /^inv_/, type: 'agent', usesLeft: 1 },
  ])
  const text = await run('invite', 'list')
  t.match(text.stdout, /human .*member .*2 .*Ada/)
  t.notMatch(text.stdout, code, 'the list does not show the code')
  t.strictSame(
    JSON.parse((await run('invite', 'revoke', '--invite', code!.toLowerCase(), '--json')).stdout),
    {
      id: listed[0].id,
      revoked: true,
    },
  )
  t.match(await run('invite', 'revoke', '--invite', listed[1].id), { code: 0, stdout: /is revoked/ })
  t.strictSame(JSON.parse((await run('invite', 'list', '--json')).stdout), { invites: [] })
  t.match(await run('invite', 'revoke', '--invite', listed[1].id), {
    code: 1,
    stderr: /There is no invite/,
  })
  t.match(await run('invite', 'revoke'), { code: 2, stderr: /--invite is missing/ })
})

t.test('a link to sign in uses the configured address if the home was never served', async (t) => {
  const home = join(testFolder(t), 'home')
  await createWorkspace({ home, name: 'Org', owner: 'Ada' })
  const [said, nobody] = await Promise.all([
    runWorkroomWith(
      { WORKROOM_PUBLIC_URL: 'https://work.example/' },
      'signin',
      '--home',
      home,
      '--member',
      'ada',
    ),
    runWorkroom('signin', '--home', home, '--member', 'nobody'),
  ])
  t.match(said, {
    code: 0,
    stdout:
      /sign-in link for Ada, to open in a browser within 15 minutes:\n\n {2}https:\/\/work\.example\/signin\/[\w-]{43}\n/,
  })
  t.match(nobody, { code: 1, stdout: '', stderr: /^workroom: There is no member nobody\..*\n$/ })
})
