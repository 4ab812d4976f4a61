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
  send(mail: MailMessage, to: { name: string; address: string }, stopping: AbortSignal): Promise<MailOutcome>
}

interface MailOptions {
  timeoutMs?: number
  graceMs?: number
}

export function openMail(server: MailServer, options: MailOptions = {}): Mail {
  const { timeoutMs = 60_000, graceMs = 2000 } = options
  const { host, port, secure, from, user, password } = server
  const isLocal = isLoopback(host)
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      // A password is sent only over TLS. A server on this machine needs no certificate.
      requireTLS: !secure && !isLocal && user !== null,
      ignoreTLS: !secure && isLocal,
      connectionTimeout: Math.min(timeoutMs, 10_000),
      greetingTimeout: Math.min(timeoutMs, 10_000),
      socketTimeout: timeoutMs,
      socketCloseTimeout: 500,
    })
  }
  let transport: Promise<Transporter> | null = null
  return {
    async send(mail, to, stopping) {
      if (stopping.aborted) return { kind: 'failed', reason: 'stopping', isFinal: false }
      const { messageId, references, dateMs, subject, text, html, unsubscribeUrl } = mail
      const aborting = new AbortController()
      const timers = [setTimeout(() => aborting.abort(), timeoutMs)]
      const startGrace = () => void timers.push(setTimeout(() => aborting.abort(), graceMs))
      stopping.addEventListener('abort', startGrace)
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
          signal: aborting.signal,
        })
        return { kind: 'sent' }
      } catch (error) {
        return failureOf(error, aborting.signal.aborted)
      } finally {
        stopping.removeEventListener('abort', startGrace)
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

function failureOf(error: unknown, isAborted: boolean): MailOutcome {
  const { code = 'unknown', command, responseCode, message } = error as SmtpError
  const reason = isAborted ? 'it took too long' : `${code}: ${message}`
  // 503 concerns the order of commands. Any other 5xx is permanent and not retried (RFC 5321).
  const isPermanent = responseCode !== undefined && responseCode >= 500 && responseCode !== 503
  return { kind: 'failed', reason, isFinal: isPermanent && messageCommands.has(command) }
}
