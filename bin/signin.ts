import { linkValidMs } from '../core/sessions/signin-links.ts'
import { requireMember, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { servedAddress } from './served-address.ts'

export async function signin(args: Arguments): Promise<undefined> {
  const text = args.require('member')
  const { member, link, address } = await withWorkspace(args.home, async (administration) => {
    const member = requireMember(administration, text)
    const address = servedAddress(administration, args)
    return { member, address, link: await administration.signinLinks.issue(member) }
  })
  const url = address + link.path
  args.print(
    { memberId: member.id, url, expiresAt: link.expiresMs },
    `A one-time sign-in link for ${member.name}, to open in a browser within ${linkValidMs / 60_000} minutes:\n\n  ${url}\n`,
  )
}
