import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { type MailMessage, openMail } from '../../../data/outbound/mail.ts'
import { eventually } from '../../support/eventually.ts'
import { openMailServer } from '../../support/mail-server.ts'
import { certificate, certificateKey } from './certificate.ts'

const message: MailMessage = {
  messageId: '<mail_1@example.org>',
  references: ['<room_1@example.org>', '<room_2@example.org>'],
  dateMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  subject: 'Grüße an alle',
  text: 'Ein Gruß.\n.\nUnd noch einer.\n',
  html: '<p>Ein Gruß.</p>\n',
  unsubscribeUrl: `https://work.example/unsubscribe/mem_${'0'.repeat(26)}.${'x'.repeat(43)}`,
}
const grace = { name: 'Grace', address: 'grace@example.org' }
const never = new AbortController().signal

t.test('mail arrives with both parts and its headers', async (t) => {
  const server = await openMailServer(t)
  const mail = openMail(serverOf(server.smtp))
  t.same(await mail.send(message, grace, never), { kind: 'sent' })
  const [received] = await server.arrived(1)
  t.same(received!.recipients, ['grace@example.org'])
  t.match(received, { subject: message.subject, text: message.text, to: 'Grace <grace@example.org>' })
  t.equal(received!.html.trim(), message.html.trim())
  t.match(received!.headers, {
    from: 'Workroom <workroom@example.org>',
    'message-id': '<mail_1@example.org>',
    references: '<room_1@example.org> <room_2@example.org>',
    date: 'Fri, 02 Jan 2026 03:04:05 +0000',
    'auto-submitted': 'auto-generated',
    'list-unsubscribe': `<${message.unsubscribeUrl}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
  })
  t.notOk('precedence' in received!.headers)
  t.notOk('x-mailer' in received!.headers)
})

t.test('no name can add a header or a recipient', async (t) => {
  const server = await openMailServer(t)
  const mail = openMail(serverOf(server.smtp))
  const names = [
    'Eve <eve@evil.example>',
    'Eve, all@example.org',
    'Eve" <eve@evil.example>, "',
    'Eve\r\nBcc: eve@evil.example',
    'Eve\u2028X-Evil: yes',
    'Ève =?utf-8?Q?=0D=0AX-Evil:_yes?=',
  ]
  for (const name of names) {
    const outcome = await mail.send({ ...message, subject: name }, { ...grace, name }, never)
    t.same(outcome, { kind: 'sent' }, encodeURIComponent(name))
  }
  for (const received of await server.arrived(names.length)) {
    t.same(received.recipients, ['grace@example.org'])
    t.notOk('bcc' in received.headers)
    t.notOk('x-evil' in received.headers)
    t.match(received.headers.to, /<grace@example\.org>$/)
  }
})

t.test('a refusal says whether it is final', async (t) => {
  const server = await openMailServer(t)
  const mail = openMail(serverOf(server.smtp))
  server.mode = 'busy'
  t.match(await mail.send(message, grace, never), { kind: 'failed', isFinal: false, reason: /451/ })
  server.mode = 'no such user'
  t.match(await mail.send(message, grace, never), { kind: 'failed', isFinal: true, reason: /550/ })
  t.same(server.mails, [])
})

t.test('a refused sender or password is a fault of the settings, not of the mail', async (t) => {
  const server = await openMailServer(t, {
    onMailFrom: (_address, _session, callback) =>
      callback(Object.assign(new Error('No.'), { responseCode: 550 })),
  })
  const settings = serverOf(server.smtp)
  t.match(await openMail(settings).send(message, grace, never), { kind: 'failed', isFinal: false })
  const strict = await openMailServer(t, {
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(new Error('No.')),
  })
  const mail = openMail({ ...serverOf(strict.smtp), user: 'u', password: 'hunter2' })
  const outcome = await mail.send(message, grace, never)
  t.match(outcome, { kind: 'failed', isFinal: false, reason: /EAUTH/ })
  t.notMatch(JSON.stringify(outcome), /hunter2/)
})

t.test('a server that drops the connection during the mail has not accepted it', async (t) => {
  const server = await openMailServer(t)
  const mail = openMail(serverOf(server.smtp))
  for (const manner of ['drop in the data', 'drop after the data'] as const) {
    server.mode = manner
    const long = { ...message, text: 'A line of a long message.\n'.repeat(20_000) }
    t.match(await mail.send(long, grace, never), { kind: 'failed', isFinal: false }, manner)
  }
})

/** Starts a server that says nothing after its greeting. */
async function openSilentServer(t: Test) {
  const silent = { port: 0, connections: 0 }
  const server = createServer((socket) => {
    silent.connections += 1
    socket
      .on('error', () => {})
      .resume()
      .write('220 hello\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  silent.port = (server.address() as AddressInfo).port
  return silent
}

t.test('a server that hangs, before or after its greeting, times out', async (t) => {
  const server = await openMailServer(t)
  server.mode = 'hang before the greeting'
  for (const port of [server.port, (await openSilentServer(t)).port]) {
    const mail = openMail({ ...serverOf(server.smtp), port }, { timeoutMs: 200 })
    t.match(await mail.send(message, grace, never), { kind: 'failed', isFinal: false, reason: /\S/ })
  }
})

t.test('a port without a mail server is a failure to try again', async (t) => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const mail = openMail({ ...serverOf({ host: '127.0.0.1', from: 'w@example.org' }), port })
  t.match(await mail.send(message, grace, never), { kind: 'failed', isFinal: false, reason: /ECONNREFUSED/ })
})

t.test('on stopping, no new mail begins, and mail under way has a moment to finish', async (t) => {
  const stopped = AbortSignal.abort()
  const silent = await openSilentServer(t)
  // Without the moment's end, the mail would wait for a day.
  const limits = { graceMs: 50, timeoutMs: 24 * 60 * 60 * 1000 }
  const mail = openMail(
    { ...serverOf({ host: '127.0.0.1', from: 'w@example.org' }), port: silent.port },
    limits,
  )
  t.match(await mail.send(message, grace, stopped), { kind: 'failed', isFinal: false })
  t.equal(silent.connections, 0)
  const stop = new AbortController()
  const sending = mail.send(message, grace, stop.signal)
  await eventually(() => silent.connections === 1)
  stop.abort()
  t.match(await sending, { kind: 'failed', isFinal: false })
})

t.test('without TLS, a password is sent only to a server on this machine', async (t) => {
  const passwords: string[] = []
  const server = await openMailServer(t, {
    allowInsecureAuth: true,
    onAuth(auth, _session, callback) {
      passwords.push(auth.password!)
      callback(null, { user: auth.username })
    },
  })
  const settings = { ...serverOf(server.smtp), user: 'u', password: 'hunter2' }
  // The same server at an address that does not count as this machine.
  const elsewhere = openMail({ ...settings, host: '0.0.0.0' })
  t.match(await elsewhere.send(message, grace, never), { kind: 'failed', isFinal: false })
  t.same(passwords, [])
  t.same(await openMail(settings).send(message, grace, never), { kind: 'sent' })
  t.same(passwords, ['hunter2'])
})

t.test('a server elsewhere needs a trusted certificate', async (t) => {
  const server = await openMailServer(t, { hideSTARTTLS: false })
  const elsewhere = openMail({ ...serverOf(server.smtp), host: '0.0.0.0' })
  t.match(await elsewhere.send(message, grace, never), { kind: 'failed', reason: /certificate/ })
  t.same(server.mails, [])
  t.same(await openMail(serverOf(server.smtp)).send(message, grace, never), { kind: 'sent' })
})

t.test('with TLS from the start, nothing is sent to a server without a trusted certificate', async (t) => {
  const connections: string[] = []
  const tls = { secure: true, cert: certificate, key: certificateKey }
  const server = await openMailServer(t, {
    ...tls,
    onConnect(_session, callback) {
      connections.push('one')
      callback()
    },
  })
  const settings = { ...serverOf(server.smtp), secure: true, user: 'u', password: 'hunter2' }
  const outcome = await openMail(settings).send(message, grace, never)
  t.match(outcome, { kind: 'failed', isFinal: false, reason: /self-signed certificate/ }, 'to try again')
  // Nothing is sent unencrypted to a server without TLS, either.
  const plain = await openMailServer(t)
  const clear = await openMail({ ...settings, port: plain.port }).send(message, grace, never)
  t.match(clear, { kind: 'failed', isFinal: false })
  t.same([connections, server.mails, plain.mails], [[], [], []])
})

/** The settings of a mail server in the form that the workspace passes on. */
function serverOf(smtp: { host: string | null; from: string | null; port?: number }) {
  return {
    host: smtp.host!,
    port: smtp.port ?? 25,
    user: null,
    password: null,
    from: smtp.from!,
    secure: false,
  }
}
