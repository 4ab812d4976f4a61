import type { Workspace } from '../../../core/workspace/index.ts'
import type { BrowserSessions } from '../../browser-sessions.ts'
import { newRoutes, type Routes } from '../../context.ts'
import { requireCaller } from '../signed-in.ts'

interface TypingDeps {
  workspace: Workspace
  browserSessions: BrowserSessions
}

/** For people on a room's page. Agents use the interface. */
export const typingRoutes = ({ workspace: { rooms }, browserSessions }: TypingDeps): Routes =>
  newRoutes()
    .purpose('Signal that you are typing in a room, for an open page')
    .post('/rooms/:room/typing', (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to write.')
      rooms.typing.startAsPerson(caller, ctx.params.room!)
      ctx.status = 204
    })
    .purpose('Signal that you stopped typing')
    .delete('/rooms/:room/typing', (ctx) => {
      const caller = requireCaller(browserSessions, ctx, 'Sign in to write.')
      rooms.typing.stopAsPerson(caller, ctx.params.room!)
      ctx.status = 204
    })
