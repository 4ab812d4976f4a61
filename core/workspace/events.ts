import type { Caller } from '../access/member.ts'
import { LiveEvents } from '../events/live-events.ts'
import { startEventTrimming } from '../events/trim-events.ts'
import { Visits } from '../orientation/visits.ts'
import type { Closers } from './closers.ts'
import type { Parts } from './parts.ts'

export async function openEvents(deps: Parts, refresh: () => void, closers: Closers) {
  const { database, members, sessions, changeTopics } = deps
  const renewCaller = (caller: Caller) => members.refreshCaller(caller) ?? sessions.refreshSession(caller)
  const live = new LiveEvents({ ...deps, refresh, renewCaller })
  database.onChange(() => live.deliver())
  const trimming = startEventTrimming(deps)
  closers.add(() => trimming.stop())
  await trimming.start()
  closers.add(() => live.release())
  return { live, changeTopics, visits: new Visits({ ...deps, live }) }
}
