import { keyView } from '../core/members/views.ts'
import { requireMember, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { isoMinute, table } from './table.ts'

export async function addKey(args: Arguments): Promise<undefined> {
  const text = args.require('member')
  const scopes = args
    .text('scopes')
    ?.split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  const { name, id, key } = await withWorkspace(args.home, async (administration) => {
    const member = requireMember(administration, text)
    const added = await administration.members.addKey(member.id, scopes ? { scopes } : {})
    return { name: member.name, ...added }
  })
  args.print({ id, key }, `A new key for ${name} (${id}), shown only once:\n\n  ${key}\n`)
}

export async function listKeys(args: Arguments): Promise<undefined> {
  const text = args.require('member')
  const keys = await withWorkspace(args.home, (administration) =>
    administration.members.keys(requireMember(administration, text).id),
  )
  args.print(
    { keys: keys.map(keyView) },
    table(
      ['id', 'label', 'created', 'last used', 'scopes'],
      keys.map(({ id, label, createdMs, lastUsedMs, scopes }) => [
        id,
        label,
        isoMinute(createdMs),
        lastUsedMs === null ? 'never' : isoMinute(lastUsedMs),
        scopes.join(','),
      ]),
    ),
  )
}

export async function revokeKey(args: Arguments): Promise<undefined> {
  const id = args.require('key')
  await withWorkspace(args.home, ({ members }) => members.revokeKey(id))
  args.print({ id, revoked: true }, `The key ${id} is revoked.`)
}
