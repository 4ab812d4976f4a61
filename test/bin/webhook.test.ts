import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { isSignedBy } from '../server/webhooks/verify.ts'
import { eventually } from '../support/eventually.ts'
import { testFolder } from '../support/test-folder.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { runWorkroom } from './run-workroom.ts'
import { serve } from './serve-workroom.ts'

t.test('a running server calls a webhook that was set on the command line', async (t) => {
  const home = join(testFolder(t), 'home')
  const receiver = await startReceiver(t)
  await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada', '--json')
  writeFileSync(join(home, 'workroom.yaml'), 'outbound:\n  allow: [127.0.0.1]\n')
  const key = (await runWorkroom('key', 'add', '--home', home, '--member', 'Ada', '--json')).json.key
  const { member } = (
    await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent', '--json')
  ).json
  const { url, child, ended } = await serve(t, home)
  const webhook = (command: string, ...args: string[]) =>
    runWorkroom('webhook', command, '--home', home, '--member', 'bot', ...args, '--json')
  const set = await webhook('set', '--url', receiver.urlOf('Bot'))
  t.match(set, { code: 0, stderr: '' })
  const output = JSON.parse(set.stdout)
  t.strictSame(output, {
    memberId: member.id,
    url: receiver.urlOf('Bot'),
    events: ['mention', 'message.created'],
    secret: output.secret,
  })
  const api = (path: string, body: unknown) =>
    fetch(`${url}/api${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  t.equal((await api('/rooms/general/members', { memberId: member.id })).status, 200)
  t.equal((await api('/rooms/general/messages', { body: `@[Bot](${member.id})` })).status, 201)
  const called = (times: number) =>
    eventually(() => (receiver.requests('Bot').length === times ? receiver.requests('Bot') : null))
  const [call] = await called(1)
  t.match(isSignedBy(call!, output.secret), { service: true, standard: true })

  const delivered = async () => {
    const { deliveries } = JSON.parse((await webhook('deliveries')).stdout)
    return deliveries[0].state === 'delivered' && deliveries
  }
  const deliveries = await eventually(delivered)
  t.match(deliveries, [
    { event: 'mention', attempts: 1, lastStatus: 204, lastError: null, nextAttemptAt: null },
  ])
  t.equal(deliveries.length, 1)

  const rotated = JSON.parse((await webhook('rotate')).stdout)
  t.match(rotated, { memberId: member.id, url: receiver.urlOf('Bot'), secret: /^whs_/ })
  t.not(rotated.secret, output.secret)
  const { id } = deliveries[0]
  t.strictSame(JSON.parse((await webhook('redeliver', '--delivery', id)).stdout), { id, state: 'pending' })
  const [, again] = await called(2)
  t.match(isSignedBy(again!, rotated.secret), { service: true, standard: true })
  t.match(
    isSignedBy(again!, output.secret),
    { previous: true, standard: true },
    'the old secret signs, too, for a day',
  )
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})

t.test('webhook set prints the secret, and webhook commands refuse what they cannot do', async (t) => {
  const home = join(testFolder(t), 'home')
  await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada')
  await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent')
  const set = (member: string, ...args: string[]) =>
    runWorkroom('webhook', 'set', '--home', home, '--member', member, ...args)
  const hook = 'https://93.184.215.14/hook'
  const said = await set('Bot', '--url', hook, '--events', 'mention')
  t.match(said, {
    code: 0,
    stdout: /The webhook of Bot is https:\S+, for mention\. .*:\n\n {2}whs_[0-9A-Za-z]{43}\n/,
  })
  const secret = /whs_\w+/.exec(said.stdout)![0]
  const [again, human, inside, word, missing, unknown] = await Promise.all([
    set('Bot', '--url', hook, '--json'),
    set('Ada', '--url', hook),
    set('Bot', '--url', 'https://10.0.0.1/'),
    set('Bot', '--url', hook, '--events', 'everything'),
    set('Bot'),
    runWorkroom('webhook', 'redeliver', '--home', home, '--member', 'Bot', '--delivery', 'wh_1'),
  ])
  t.match(JSON.parse(again.stdout), { events: ['mention'], secret }, 'the secret stays the same')
  t.match(human, { code: 1, stdout: '', stderr: /Ada is a person/ })
  t.match(inside, { code: 1, stdout: '', stderr: /not public/ })
  t.match(word, { code: 2, stdout: '', stderr: /--events must be one or more of mention, message\.created/ })
  t.match(unknown, { code: 1, stdout: '', stderr: /Bot has no delivery wh_1/ })
  t.match(missing, { code: 2, stdout: '', stderr: /--url is missing/ })
  t.match(await set('Bot', '--url', ''), { code: 0, stdout: /The webhook of Bot is removed/ })
})

t.test('an address is checked by the settings of the running server, not of the command', async (t) => {
  const home = join(testFolder(t), 'home')
  await runWorkroom('init', '--home', home, '--name', 'Org', '--owner', 'Ada')
  await runWorkroom('member', 'add', '--home', home, '--name', 'Bot', '--type', 'agent')
  const settings = (allow: string) =>
    writeFileSync(join(home, 'workroom.yaml'), `outbound:\n  allow: [${allow}]\n`)
  const set = (url: string) => runWorkroom('webhook', 'set', '--home', home, '--member', 'Bot', '--url', url)
  settings('127.0.0.1')
  const { child, ended } = await serve(t, home)
  settings('10.0.0.1')
  t.match(await set('https://10.0.0.1/'), {
    code: 1,
    stdout: '',
    stderr: /not public.*restart it after a change/,
  })
  t.match(await set('http://127.0.0.1:9/'), { code: 0 })
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
  t.match(await set('http://127.0.0.1:9/'), { code: 1, stderr: /not public/ })
  t.match(await set('https://10.0.0.1/'), { code: 0 }, 'without a server, the new settings apply')
})
