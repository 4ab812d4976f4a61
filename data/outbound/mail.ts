import { isIPv4 } from 'node:net'
import type { Transporter } from 'nodemailer'

/** The mail server, and whom the mail is from. */
interface MailServer {
  host: string
  port: number
  user: string | null
  password: string | null
  /** An address, or a name and behind it the address in angle brackets. */
  from: string
  /** TLS from the first byte. */
  secure: boolean
}

/** A letter as it is sent, whenever that is. Its texts need no encoding, and its headers hold one line each. */
export interface MailMessage {
  /** With its angle brackets, like `references`; the same however often it is sent. */
  messageId: string
  /** Of the conversations that it belongs to. */
  references: string[]
  /** Unix milliseconds. */
  dateMs: number
  subject: string
  text: string
  html: string
  /** A POST to this address ends such mail (RFC 8058); null: its reader has asked for it, and gets no other. */
  unsubscribeUrl: string | null
}

type MailOutcome =
  | { kind: 'sent' }
  /** `reason` is for a log. `isFinal`: the server has said that it will never take this letter to this address. */
  | { kind: 'failed'; reason: string; isFinal: boolean }

/** How letters leave the box. */
export interface Mail {
  /**
   * Hands one letter to the mail server, on a connection of its own.
   * @param stopping once it fires, what is under way has `graceMs` to end; nothing new is begun
   */
  send(
    letter: MailMessage,
    to: { name: string; address: string },
    stopping: AbortSignal,
  ): Promise<MailOutcome>
}

interface MailOptions {
  /** For all of it: connection, conversation, letter. */
  timeoutMs?: number
  graceMs?: number
}

/** Opens the way to a mail server; it is not asked for anything before there is a letter. */
export function openMail(server: MailServer, options: MailOptions = {}): Mail {
  const { timeoutMs = 60_000, graceMs = 2000 } = options
  const { host, port, secure, from, user, password } = server
  const isHere = isLoopback(host)
  const connect = async () => {
    // Who sends no mail need not load it.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      host,
      port,
      secure,
      ...(user !== null && { auth: { user, pass: password ?? '' } }),
      // A password is not shown to the network; nor is a certificate asked for of a server on this machine.
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

/** Of an SMTP failure: what was said to the server, and what it answered. */
interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

/** The commands that speak of this letter; the others are about the server and us. */
const messageCommands = new Set<unknown>(['RCPT TO', 'DATA'])

function failureOf(error: unknown, isCut: boolean): MailOutcome {
  const { code = 'unknown', command, responseCode, message } = error as SmtpError
  const reason = isCut ? 'it took too long' : `${code}: ${message}`
  // 503 speaks of the order of the commands. Any other 5xx is for good, and is not to be tried again (RFC 5321).
  const isForGood = responseCode !== undefined && responseCode >= 500 && responseCode !== 503
  return { kind: 'failed', reason, isFinal: isForGood && messageCommands.has(command) }
}
