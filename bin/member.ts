import { type Member, type MemberStatus, memberTypes, workspaceRoles } from '../core/access/member.ts'
import { requireMember, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { table } from './table.ts'

export async function addMember(args: Arguments): Promise<undefined> {
  const name = args.require('name')
  args.require('type')
  const type = args.oneOf('type', memberTypes)!
  const role = args.oneOf('role', workspaceRoles) ?? 'member'
  const email = args.text('email') ?? ''
  const { member, key } = await withWorkspace(args.home, ({ members }) =>
    members.add({ name, type, role, email }),
  )
  args.print(
    { member: memberSummary(member), key },
    `${member.name} is in the workspace (${member.id}). The key (shown only once):\n\n  ${key}\n`,
  )
}

export async function listMembers(args: Arguments): Promise<undefined> {
  const members = await withWorkspace(args.home, (administration) => administration.members.all())
  args.print(
    { members: members.map(memberRecord) },
    table(
      ['id', 'name', 'type', 'role', 'status'],
      members.map(({ id, name, type, role, status }) => [id, name, type, role, status]),
    ),
  )
}

export async function setMemberStatus(args: Arguments, status: MemberStatus): Promise<undefined> {
  const text = args.require('member')
  const member = await withWorkspace(args.home, (administration) =>
    administration.members.setStatus(requireMember(administration, text).id, status),
  )
  const effect = status === 'active' ? 'The old keys work again.' : 'The keys no longer work.'
  args.print({ member: memberRecord(member) }, `${member.name} is ${status}. ${effect}`)
}

export const memberSummary = ({ id, name, type, role }: Member) => ({ id, name, type, role })

const memberRecord = (member: Member) => ({
  ...memberSummary(member),
  status: member.status,
  email: member.email,
  ownerId: member.ownerId,
  createdAt: member.createdMs,
})
