import { trackChanges } from '../change-topics/change-topics.ts'
import { OnlinePresence } from '../members/online-presence.ts'
import { ensureWelcomeRoom } from '../room-members/welcome-room.ts'
import { TypingSignals } from '../rooms/typing.ts'
import type { Closers } from './closers.ts'
import { openPeopleAndProjects } from './directories.ts'
import type { Storage } from './storage.ts'
import { WorkspaceName } from './workspace-name.ts'

export type People = Awaited<ReturnType<typeof openPeople>>

export async function openPeople(storage: Storage, closers: Closers) {
  const { clock, database, tables } = storage
  const directories = openPeopleAndProjects(storage)
  const { members, memberships } = directories
  await ensureWelcomeRoom({ ...storage, ...directories })
  const presence = new OnlinePresence(clock)
  closers.add(() => presence.stop())
  const typing = new TypingSignals({ clock, memberships })
  closers.add(() => typing.close())
  members.onDeactivated((memberId) => typing.endAll(memberId))
  return {
    ...directories,
    presence,
    typing,
    changeTopics: trackChanges({ ...directories, database, clock, presence, typing }),
    identity: new WorkspaceName({ database, workspace: tables.workspace }),
  }
}
