import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { type Config, defaultConfig } from '../../core/config.ts'
import { eventually } from './eventually.ts'
import { type ReceivedMail, readMail } from './received-mail.ts'

/** What the server does with those who come. */
export type Manner =
  | 'accept'
  /** Does not say a word. */
  | 'hang'
  /** Refuses the recipient for now, or for good. */
  | 'busy'
  | 'no such user'
  /** Hangs up before all of the letter has come, or when all of it has, without an answer. */
  | 'drop in the letter'
  | 'drop after the letter'

export interface MailServer {
  port: number
  /** Settings that lead to it, with the default delay. */
  smtp: Config['smtp']
  manner: Manner
  /** What it has taken, in the order in which it came; after `drop after the letter` that as well. */
  mails: ReceivedMail[]
  connections: number
  /** The mails, as soon as there are so many. @throws when there are more */
  arrived(count: number): Promise<ReceivedMail[]>
}

/** A mail server on 127.0.0.1, closed when the test ends. */
export async function openMailServer(t: Test, options: SMTPServerOptions = {}): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  const refusal = (responseCode: number) => Object.assign(new Error('No.'), { responseCode })
  const smtpServer = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    onConnect(_session, callback) {
      server.connections += 1
      if (server.manner !== 'hang') callback()
    },
    onRcptTo(_address, _session, callback) {
      if (server.manner === 'busy') callback(refusal(451))
      else if (server.manner === 'no such user') callback(refusal(550))
      else callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (server.manner === 'drop in the letter') hangUp()
      })
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        server.mails.push(readMail(Buffer.concat(chunks), recipients))
        if (server.manner === 'drop after the letter') hangUp()
        else callback()
      })
    },
    ...options,
  })
  // A connection that breaks is what some of the tests are about.
  smtpServer.on('error', () => {})
  smtpServer.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const listening = smtpServer.listen(0, '127.0.0.1')
  t.teardown(async () => {
    hangUp()
    await new Promise<void>((resolve) => smtpServer.close(() => resolve()))
  })
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const from = 'Workroom <workroom@example.org>'
  const server: MailServer = {
    port,
    smtp: { ...defaultConfig.smtp, host: '127.0.0.1', port, from },
    manner: 'accept',
    mails: [],
    connections: 0,
    async arrived(count) {
      await eventually(() => server.mails.length >= count)
      if (server.mails.length > count) throw new Error(`${server.mails.length} mails, not ${count}`)
      return server.mails
    },
  }
  return server
}
