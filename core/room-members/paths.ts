import type { RoomRow } from '../../data/tables/rooms.ts'

type Named = Pick<RoomRow, 'slug'>

/** The file name of a room's transcript. */
export const transcriptName = ({ slug }: Named): string => `${slug}.md`

/** `/v1/fs/rooms/<slug>.md`: what may be appended to the base address. */
export const transcriptPath = (room: Named): string =>
  `/v1/fs/rooms/${encodeURIComponent(transcriptName(room))}`

/** What reads a message with what was replied to it, or a reply with its thread. @param messageId of either */
export const threadPath = (room: Named, messageId: string): string =>
  `${transcriptPath(room)}?thread=${messageId}`

/** The page on which a person reads the room, without the base address. */
export const roomPagePath = ({ slug }: Named): string => `/rooms/${encodeURIComponent(slug)}`

/** The page of a room at one of its messages, without the base address. */
export const messagePagePath = (room: Named, messageId: string): string =>
  `${roomPagePath(room)}?at=${messageId}#${messageId}`
