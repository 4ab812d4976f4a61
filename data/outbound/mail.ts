import { isIPv4 } from 'node:net'
import type { Transporter } from 'nodemailer'

interface MailServer {
  host: string
  port: number
  user: string | null
  password: string | null
  from: string
  secure: boolean
}

export interface MailMessage {
  /** With angle brackets, like `references`. The same for each attempt. */
  messageId: string
  references: string[]
  dateMs: number
  subject: string
  text: string
  html: string
  /** A POST to it unsubscribes (RFC 8058); null for mail that was requested. */
  unsubscribeUrl: string | null
}

type MailOutcome =
  | { kind: 'sent' }
  /** `reason` is for the log. `isFinal`: the server permanently refused this mail to this address. */
  | { kind: 'failed'; reason: string; isFinal: boolean }

export interface Mail {
  /** `stopping` gives a mail in progress `graceMs` to end, and begins none. */
  send(
    letter: MailMessage,
    to: { name: string; address: string },
    stopping: AbortSignal,
  ): Promise<MailOutcome>
}

interface MailOptions {
  timeoutMs?: number
  graceMs?: number
}

export function openMail(server: MailServer, options: MailOptions = {}): Mail {
  const { timeoutMs = 60_000, graceMs = 2000 } = options
  const { host, port, secure, from, user, password } = server
  const isHere = isLoopback(host)
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      // A password is sent only over TLS. A server on this machine needs no certificate.
      requireTLS: !secure && !isHere && user !== null,
      ignoreTLS: !secure && isHere,
      connectionTimeout: Math.min(timeoutMs, 10_000),
      greetingTimeout: Math.min(timeoutMs, 10_000),
      socketTimeout: timeoutMs,
      socketCloseTimeout: 500,
    })
  }
  let transport: Promise<Transporter> | null = null
  return {
    async send(letter, to, stopping) {
      if (stopping.aborted) return { kind: 'failed', reason: 'stopping', isFinal: false }
      const { messageId, references, dateMs, subject, text, html, unsubscribeUrl } = letter
      const cut = new AbortController()
      const timers = [setTimeout(() => cut.abort(), timeoutMs)]
      const hurry = () => void timers.push(setTimeout(() => cut.abort(), graceMs))
      stopping.addEventListener('abort', hurry)
      try {
        transport ??= connect()
        await (await transport).sendMail({
          from,
          to,
          messageId,
          references,
          date: new Date(dateMs),
          subject,
          text,
          html,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl !== null && {
              'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
          xMailer: false,
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: cut.signal,
        })
        return { kind: 'sent' }
      } catch (error) {
        return failureOf(error, cut.signal.aborted)
      } finally {
        stopping.removeEventListener('abort', hurry)
        for (const timer of timers) clearTimeout(timer)
      }
    },
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

/** Other commands concern the server and us. */
const messageCommands = new Set<unknown>(['RCPT TO', 'DATA'])

function failureOf(error: unknown, isCut: boolean): MailOutcome {
  const { code = 'unknown', command, responseCode, message } = error as SmtpError
  const reason = isCut ? 'it took too long' : `${code}: ${message}`
  // 503 concerns the order of commands. Any other 5xx is permanent and not retried (RFC 5321).
  const isForGood = responseCode !== undefined && responseCode >= 500 && responseCode !== 503
  return { kind: 'failed', reason, isFinal: isForGood && messageCommands.has(command) }
}
