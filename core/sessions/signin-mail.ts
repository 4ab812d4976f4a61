import type { Database } from '../../data/database.ts'
import type { Member } from '../access/member.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { MailText } from '../notifications/notification-mail.ts'
import { canReceiveMail } from '../notifications/outbox.ts'
import { linkValidMs, type SigninLinks } from './signin-links.ts'

export interface SigninMailDeps {
  database: Database
  members: MemberStore
  signinLinks: SigninLinks
  write: (member: Member, text: MailText, untilMs: number) => void
  identity: { readonly name: string }
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

/** A member with this many valid links gets no other, so that nobody can fill their mailbox. */
const maxLinks = 5
const maxMembers = 10

export class SigninMail {
  constructor(private readonly deps: SigninMailDeps) {}

  /** Not awaited, so that no response or timing reveals whether a member has this address. */
  request(address: string, suffix: string): void {
    const { database, members, onProblem } = this.deps
    const email = address.trim().toLowerCase()
    const recipients = members
      .active()
      .filter((one) => canReceiveMail(one) && one.email.toLowerCase() === email)
    if (recipients.length === 0) return
    database
      .commit(() => {
        for (const member of recipients.slice(0, maxMembers)) this.writeTo(member, suffix)
      })
      .catch((error) => onProblem('A sign-in link could not be mailed', error))
  }

  private writeTo(member: Member, suffix: string): void {
    const { pageUrl, signinLinks, identity, write } = this.deps
    if (signinLinks.count(member.id) >= maxLinks) return
    const { path, expiresMs } = signinLinks.create(member)
    const text = signinText(member, { url: pageUrl(path + suffix), workspaceName: identity.name })
    write(member, text, expiresMs)
  }
}

const signinText = (
  { name }: Member,
  { url, workspaceName }: { url: string; workspaceName: string },
): MailText => ({
  subject: `Sign in to ${workspaceName}`,
  paragraphs: [
    {
      text: `${name}, sign in with this link. It works once and expires in ${linkValidMs / 60_000} minutes:`,
      url,
      linkText: 'Sign in',
    },
    { text: 'If you did not request it, ignore this email. Nobody can sign in without the link.' },
  ],
})
