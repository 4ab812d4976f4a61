import type { Database } from '../data/database.ts'
import type { RoomsTable } from '../data/tables/rooms.ts'
import { hearTouches } from '../data/touches.ts'
import type { Clock } from './clock.ts'
import type { Presence } from './members/presence.ts'
import type { Typing } from './rooms/typing.ts'
import { Touches, topicOf } from './touches.ts'

export interface TouchingParts {
  clock: Clock
  database: Database
  rooms: RoomsTable
  presence: Presence
  typing: Typing
}

/** Opens the touches, and has them hear of every row that is written, of who is here and of who is writing. */
export function openTouches({ clock, database, rooms, presence, typing }: TouchingParts): Touches {
  const touches = new Touches(clock)
  hearTouches(database.connection, (touched, id) => touches.touch(topicOf(touched, id)))
  typing.onChange((roomId) => touches.touch(`room:${roomId}`))
  presence.onChange(({ memberId, isOnlineChanged, rooms: places }) => {
    const shownIn = isOnlineChanged ? rooms.joinedBy(memberId).map(({ id }) => id) : places
    for (const roomId of shownIn) touches.touch(`room:${roomId}`)
    if (isOnlineChanged) touches.touch('presence')
  })
  return touches
}
