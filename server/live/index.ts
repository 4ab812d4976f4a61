import { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { type WebSocket, WebSocketServer } from 'ws'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { closeCodes } from '../../core/live/protocol.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import { maskedTokensEqual } from '../../core/sessions/tokens.ts'
import { percentDecode } from '../../core/text/percent-decode.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Context, RequestState } from '../context.ts'
import type { UpgradeListener } from '../early-requests.ts'
import { codeAndStatus, errorBody } from '../error-response.ts'
import { requirePath } from '../middleware/validate-request.ts'
import type { ServerParts } from '../parts.ts'
import { EditorSocket } from './editor-socket.ts'

const livePath = /^\/live\/documents\/([^/?]+)$/
const maxMessageBytes = 1024 * 1024
const restarting = 1012

/** Serves the WebSocket `/live/documents/<id>` of editors and refuses other upgrades. */
export function liveSockets(
  workspace: Pick<Workspace, 'clock' | 'live'>,
  app: Koa<RequestState>,
  {
    site,
    browserSessions,
    newRequestId,
    log,
    stopping,
  }: Pick<ServerParts, 'site' | 'browserSessions' | 'newRequestId' | 'log' | 'stopping'>,
): UpgradeListener {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  })
  const open = new Set<EditorSocket>()
  stopping.addEventListener(
    'abort',
    () => {
      for (const editor of open) editor.end(restarting, 'unavailable', 'The server is restarting.')
    },
    { once: true },
  )

  const accept = (socket: WebSocket, documentId: string, session: OpenSession | null) => {
    const caller = session?.caller
    if (!caller) {
      const message = { type: 'refused', code: 'unauthorized', message: 'You are signed out. Sign in again.' }
      socket.send(JSON.stringify(message))
      socket.close(closeCodes.signedOut)
      return
    }
    const editor = new EditorSocket(socket, {
      documentId,
      caller,
      isCsrfToken: (sent) => maskedTokensEqual(sent, session.csrfToken),
      live: workspace.live,
      clock: workspace.clock,
      log,
    })
    open.add(editor)
    socket.once('close', () => open.delete(editor))
  }

  return (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    try {
      const ctx = app.createContext(request, new ServerResponse(request)) as unknown as Context
      const documentId = percentDecode(livePath.exec(requirePath(ctx))?.[1] ?? '')
      if (!documentId) throw new WorkspaceError('not_found', 'There is no WebSocket here.')
      if (stopping.aborted) throw new WorkspaceError('unavailable', 'The server is restarting.')
      site.requireSameOrigin(ctx)
      const session = browserSessions.find(ctx)
      server.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, documentId, session))
    } catch (error) {
      refuse(socket, request.url ?? '', newRequestId(), error)
      if (!(error instanceof WorkspaceError)) log.error({ err: error }, 'An upgrade failed.')
    }
  }
}

function refuse(socket: Duplex, target: string, requestId: string, error: unknown): void {
  const isRefusal = error instanceof WorkspaceError
  const { code, status } = isRefusal
    ? codeAndStatus(error.code, target)
    : { code: 'internal_error' as const, status: 500 }
  const message = isRefusal ? error.message : 'The connection could not be upgraded.'
  const body = JSON.stringify(errorBody({ target, status, code, message, requestId }))
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
