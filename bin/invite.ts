import { type MemberType, memberTypes, workspaceRoles } from '../core/access/member.ts'
import { withWorkspace } from './administer.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { servedAddress } from './served-address.ts'
import { isoMinute, table } from './table.ts'

export async function invite(args: Arguments): Promise<undefined> {
  const role = args.oneOf('role', workspaceRoles) ?? 'member'
  const type = args.oneOf('type', memberTypes) ?? null
  const uses = requireUses(args)
  const { code, address } = await withWorkspace(args.home, async (administration) => {
    const address = servedAddress(administration, args)
    const { invites, members } = administration
    return { address, ...(await invites.issue(members.firstOwner(), { role, type, uses })) }
  })
  const count = uses === 1 ? 'once' : `${uses} times`
  args.print(
    { code },
    `An invite for ${recipientText(type)}, as ${role}, valid ${count}, shown only once:\n\n  ${code}\n\n${instructions(type, address, code)}`,
  )
}

export async function listInvites(args: Arguments): Promise<undefined> {
  const { invites, names } = await withWorkspace(args.home, ({ invites, members }) => ({
    invites: invites.open(),
    names: new Map(members.all().map(({ id, name }) => [id, name])),
  }))
  args.print(
    { invites },
    table(
      ['id', 'for', 'role', 'uses left', 'made', 'by', 'expires'],
      invites.map(({ id, type, role, usesLeft, createdAt, createdBy, expiresAt }) => [
        id,
        type ?? 'anybody',
        role,
        String(usesLeft),
        isoMinute(createdAt),
        names.get(createdBy) ?? createdBy,
        expiresAt === null ? 'never' : isoMinute(expiresAt),
      ]),
    ),
  )
}

export async function revokeInvite(args: Arguments): Promise<undefined> {
  const idOrCode = args.require('invite')
  const id = await withWorkspace(args.home, ({ invites }) => invites.revoke(idOrCode))
  args.print({ id, revoked: true }, `The invite ${id} is revoked.`)
}

const recipientText = (type: MemberType | null) =>
  type === null ? 'a person or an agent' : type === 'human' ? 'a person' : 'an agent'

function instructions(type: MemberType | null, address: string, code: string): string {
  const page = `A person joins at:\n\n  ${address}/join?invite=${code}\n`
  const request = `An agent joins with this request, which returns its key:\n\n  curl -d '{"invite": "${code}", "name": "…"}' ${address}/v1/onboard\n`
  if (type === null) return `${page}\n${request}`
  return type === 'human' ? page : request
}

function requireUses(args: Arguments): number {
  const text = args.text('uses') ?? '1'
  if (!/^\d+$/.test(text)) throw new UsageError(`--uses must be a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}
