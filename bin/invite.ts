import { memberTypes, workspaceRoles } from '../core/members/types.ts'
import { administer } from './administer.ts'
import { type Arguments, UsageError } from './arguments.ts'

/** `workroom invite`: in the name of the first owner, to whom an agent that comes with it belongs. */
export async function invite(args: Arguments): Promise<undefined> {
  const role = args.oneOf('role', workspaceRoles) ?? 'member'
  const type = args.oneOf('type', memberTypes) ?? null
  const uses = usesOf(args)
  const { code } = await administer(args.home, ({ invites, members }) =>
    invites.issue(members.firstOwner(), { role, type, uses }),
  )
  const whom = type === null ? 'whoever comes with it' : type === 'human' ? 'a person' : 'an agent'
  const count = uses === 1 ? 'once' : `${uses} times`
  args.answer(
    { code },
    `An invite for ${whom}, as ${role}, good ${count}. It is shown this once:\n\n  ${code}\n\nA person uses it on the page /join, an agent with POST /v1/onboard.\n`,
  )
}

function usesOf(args: Arguments): number {
  const text = args.text('uses') ?? '1'
  if (!/^\d+$/.test(text)) throw new UsageError(`--uses must be a whole number, not ${JSON.stringify(text)}`)
  return Number(text)
}
