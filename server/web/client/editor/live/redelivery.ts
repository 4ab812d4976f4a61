import { type ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import { difference } from '../difference.ts'
import { LiveConnection, type Socket } from './connection.ts'
import { type Pending, SharedText, type TextHost } from './shared-text.ts'

/** What was written and not confirmed by the server. */
export interface UnsentUpdates extends Pending {
  clientId: string
  /** The text that the updates change. */
  base: string
}

/** What became of updates. `unknown`: the server no longer knows the text that they change; they are rebased on the one of now. */
type Delivery =
  | { kind: 'delivered' }
  | { kind: 'unknown'; base: Text; written: ChangeSet }
  | { kind: 'failed' }

/**
 * Sends what a closed page could not, as that page would have: what the server has got already it does not take twice.
 * @param connect a connection of its own
 */
export function redeliver(kept: UnsentUpdates, csrf: string, connect: () => Socket): Promise<Delivery> {
  const shared = new SharedText(new HeadlessHost(kept.base), kept.clientId, difference)
  shared.resume(kept)
  return new Promise((resolve) => {
    const settle = (delivery: Delivery) => {
      connection.end()
      resolve(delivery)
    }
    // What does not fit the text is no continuation of it: the whole text is asked for.
    const takes = (take: () => unknown): boolean => {
      try {
        if (take() !== false) return true
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
      hello: () => ({ type: 'open', csrf, clientId: kept.clientId, ...shared.position }),
      opened(message) {
        if (!takes(() => shared.opened(message))) return
        if (message.text === undefined || shared.isConfirmed) push()
        else settle({ kind: 'unknown', base: shared.syncedText, written: shared.unconfirmed })
      },
      message(message) {
        if (message.type !== 'updates') return
        if (takes(() => shared.receive(message.from, message.updates))) push()
      },
      // If the server does not know the text, it is opened again.
      lost: () => shared.position && settle({ kind: 'failed' }),
      reset: () => shared.forget(),
      ended: () => resolve({ kind: 'failed' }),
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
