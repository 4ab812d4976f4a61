import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { type Config, defaultConfig } from '../../core/config.ts'
import { eventually } from './eventually.ts'
import { type ReceivedMail, readMail } from './received-mail.ts'

export type MailServerMode =
  | 'accept'
  | 'hang before the greeting'
  /** Never answers the first recipient. */
  | 'hang'
  /** Refuses the recipient temporarily. */
  | 'busy'
  /** Refuses the recipient for good. */
  | 'no such user'
  /** Closes the connection during the mail, or after it without an answer. */
  | 'drop in the data'
  | 'drop after the data'

export interface MailServer {
  port: number
  smtp: Config['smtp']
  mode: MailServerMode
  /** The mail received, in order, including mail that was dropped at its end. */
  mails: ReceivedMail[]
  connections: number
  /** Waits for this many mails. @throws if there are more */
  arrived(count: number): Promise<ReceivedMail[]>
}

/** Starts a mail server on 127.0.0.1 until the test ends. */
export async function openMailServer(t: Test, options: SMTPServerOptions = {}): Promise<MailServer> {
  const sockets = new Set<Socket>()
  /** The sessions that began while the mode was `hang`. */
  const hanging = new Set<string>()
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  const refusal = (responseCode: number) => Object.assign(new Error('No.'), { responseCode })
  const smtpServer = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    onConnect({ id }, callback) {
      server.connections += 1
      if (server.mode === 'hang') hanging.add(id)
      if (server.mode !== 'hang before the greeting') callback()
    },
    onRcptTo(_address, { id }, callback) {
      if (hanging.has(id)) return
      if (server.mode === 'busy') callback(refusal(451))
      else if (server.mode === 'no such user') callback(refusal(550))
      else callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (server.mode === 'drop in the data') hangUp()
      })
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        server.mails.push(readMail(Buffer.concat(chunks), recipients))
        if (server.mode === 'drop after the data') hangUp()
        else callback()
      })
    },
    ...options,
  })
  // Some tests break connections on purpose.
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
    mode: 'accept',
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
