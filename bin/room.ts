import { requireMember, requireRoom, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { table } from './table.ts'

export async function joinRoom(args: Arguments): Promise<undefined> {
  const roomText = args.require('room')
  const memberText = args.require('member')
  const { room, member, added, involvement } = await withWorkspace(args.home, async (administration) => {
    const room = requireRoom(administration, roomText)
    const member = requireMember(administration, memberText)
    const added = await administration.joinRoom(room, member)
    return { room, member, added, involvement: administration.memberships.involvementOf(room, member)! }
  })
  args.print(
    { room: room.slug, roomId: room.id, memberId: member.id, involvement, already: !added },
    added
      ? `${member.name} is in the room ${room.name}, and is notified of ${involvementText[involvement]}.`
      : `${member.name} was already in the room ${room.name}.`,
  )
}

const involvementText = {
  everything: 'every message',
  mentions: 'mentions',
  nothing: 'only mentions by name',
  invisible: 'only mentions by name',
}

export async function listRooms(args: Arguments): Promise<undefined> {
  const rooms = await withWorkspace(args.home, ({ rooms, memberships, projects }) =>
    rooms.all().map((room) => ({
      id: room.id,
      slug: room.slug,
      name: room.name,
      type: room.type,
      project: room.projectId === null ? null : (projects.find(room.projectId)?.slug ?? null),
      members: memberships.in(room).length,
    })),
  )
  args.print(
    { rooms },
    table(
      ['id', 'slug', 'name', 'type', 'project', 'members'],
      rooms.map(({ id, slug, name, type, project, members }) => [
        id,
        slug,
        name,
        type,
        project ?? '',
        String(members),
      ]),
    ),
  )
}
