import type { Caller, Member } from '../../../core/access/member.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { type Html, html } from '../html.ts'

const maxNameLength = 80

/** Links to the direct room with a member, or to its creation. */
export function directLink(
  { rooms: { rooms } }: Pick<Workspace, 'rooms'>,
  caller: Caller,
  member: Member,
  { label, className }: { label: Html; className: string },
): Html {
  const path = rooms.directPathWith(caller, member)
  if (path !== null)
    return html`<a${className !== 'quiet' && html` class="button ${className}"`} href="${path}">${label}</a>`
  const fields = { name: nameOf(caller.member, member), type: 'direct', members: [member.id] }
  return html`<button class="${className}" data-call="POST /api/rooms" data-json="${JSON.stringify(fields)}" \
data-then="go:/rooms/{_id}">${label}</button>`
}

const nameOf = (one: Member, other: Member): string =>
  [...`${one.name} and ${other.name}`].slice(0, maxNameLength).join('').trim()
