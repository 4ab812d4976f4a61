import type { Administration } from '../core/administration.ts'
import { linkMs } from '../core/sessions/signin-links.ts'
import { readSettings } from '../data/home.ts'
import { administer, foundMember } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { readConfig } from './config.ts'
import { inAddress } from './in-address.ts'

/** `workroom signin` */
export async function signin(args: Arguments): Promise<undefined> {
  const text = args.need('member')
  const { member, link, address } = await administer(args.home, async (administration) => {
    const member = foundMember(administration, text)
    const address = addressOf(administration, args.home)
    return { member, address, link: await administration.signinLinks.issue(member) }
  })
  const url = address + link.path
  args.answer(
    { memberId: member.id, url, expiresAt: link.expiresMs },
    `A link that signs ${member.name} in with a browser, once, within ${linkMs / 60_000} minutes:\n\n  ${url}\n`,
  )
}

/** Where it is served, or was last; where it never was, what is configured. */
function addressOf({ address }: Administration, home: string): string {
  if (address !== null) return address
  const { publicUrl, host, port } = readConfig({
    flags: {},
    environment: process.env,
    file: readSettings(home),
  })
  return publicUrl ?? `http://${inAddress(host)}:${port}`
}
