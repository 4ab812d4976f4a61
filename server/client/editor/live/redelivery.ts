import { type ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import { diffTexts } from '../difference.ts'
import { LiveConnection, type Socket } from './connection.ts'
import { type PendingUpdates, SharedText, type TextHost } from './shared-text.ts'

/** Unconfirmed updates of a page. */
export interface UnsentUpdates extends PendingUpdates {
  clientId: string
  /** The text to which the updates apply. */
  base: string
}

/** `unknown`: the server no longer knows the version, so the updates must be rebased on the current text. */
type Delivery =
  | { kind: 'delivered' }
  | { kind: 'unknown'; base: Text; changes: ChangeSet }
  | { kind: 'failed' }

/** Sends the updates of a closed page under its client id, so that the server skips those it already has. */
export function redeliver(unsent: UnsentUpdates, csrf: string, connect: () => Socket): Promise<Delivery> {
  const shared = new SharedText(new HeadlessHost(unsent.base), unsent.clientId, diffTexts)
  shared.resume(unsent)
  return new Promise((resolve) => {
    const settle = (delivery: Delivery) => {
      connection.end()
      resolve(delivery)
    }
    // Requests the whole text if updates do not fit this one.
    const tryApply = (apply: () => unknown): boolean => {
      try {
        if (apply() !== false) return true
      } catch {
        shared.forget()
      }
      connection.restart()
      return false
    }
    const push = () => {
      if (shared.isConfirmed) return settle({ kind: 'delivered' })
      const next = shared.nextPush()
      if (next) connection.send(next)
    }
    const connection = new LiveConnection(connect, {
      createOpenMessage: () => ({ type: 'open', csrf, clientId: unsent.clientId, ...shared.position }),
      onOpened(message) {
        if (!tryApply(() => shared.handleOpened(message))) return
        if (message.text === undefined || shared.isConfirmed) push()
        else settle({ kind: 'unknown', base: shared.syncedText, changes: shared.unconfirmed })
      },
      onMessage(message) {
        if (message.type !== 'updates') return
        if (tryApply(() => shared.receive(message.from, message.updates))) push()
      },
      // Without a position, the connection was restarted to request the whole text.
      onLost: () => shared.position && settle({ kind: 'failed' }),
      onReset: () => shared.forget(),
      onEnded: () => resolve({ kind: 'failed' }),
    })
    connection.start()
  })
}

class HeadlessHost implements TextHost {
  state: EditorState

  constructor(text: string) {
    this.state = EditorState.create({ doc: Text.of(text.split('\n')) })
  }

  dispatch(...specs: TransactionSpec[]): void {
    this.state = this.state.update(...specs).state
  }
}
