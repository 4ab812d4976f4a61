import { Presence } from '../members/presence.ts'
import { ensureWelcomeRoom } from '../room-members/welcome-room.ts'
import { Typing } from '../rooms/typing.ts'
import { openTouches } from '../touches/touches.ts'
import type { Closers } from './closers.ts'
import { openDirectories } from './directories.ts'
import { WorkspaceIdentity } from './identity.ts'
import type { Storage } from './storage.ts'

export type People = Awaited<ReturnType<typeof openPeople>>

/** Opens who is in the workspace, its projects and rooms, who is online, and what has been touched. */
export async function openPeople(storage: Storage, closers: Closers) {
  const { clock, database, tables } = storage
  const directories = openDirectories(storage)
  const { members, memberships } = directories
  await ensureWelcomeRoom({ ...storage, ...directories })
  const presence = new Presence(clock)
  closers.add(() => presence.stop())
  const typing = new Typing({ clock, memberships })
  closers.add(() => typing.close())
  members.onLeft((memberId) => typing.endAll(memberId))
  return {
    ...directories,
    presence,
    typing,
    touches: openTouches({ ...directories, database, clock, presence, typing }),
    identity: new WorkspaceIdentity({ database, workspace: tables.workspace }),
  }
}
