import { collab, getSyncedVersion, receiveUpdates, sendableUpdates } from '@codemirror/collab'
import {
  ChangeSet,
  Compartment,
  type EditorState,
  type Extension,
  StateEffect,
  Text,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state'
import type { OpenedMessage, PushMessage, UpdatesMessage } from '../../../../core/live/protocol.ts'

/** CodeMirror's view, or a state without one. */
export interface TextHost {
  readonly state: EditorState
  dispatch(...specs: TransactionSpec[]): void
}

/** Unconfirmed changes, and the version of the text that they change. */
export interface PendingUpdates {
  epoch: string
  version: number
  /** The number of the first update; the others follow. */
  seq: number
  updates: unknown[]
}

/** UTF-16 code units of JSON, well below the server's limit for messages. */
const maxPushLength = 200_000
/** How many texts are compared at a time with the current one. */
const comparisonsPerStep = 20
/** Keeps the number of an update that others' changes have made empty: the server may have it already. */
const emptyUpdate = StateEffect.define<null>()
/** Over these, cursors of older versions are mapped. */
const maxRecentUpdates = 500

type Diff = (before: Text, after: Text) => ChangeSet

/** The server's text with the unconfirmed changes on top. */
export class SharedText {
  readonly clientId: string
  private readonly host: TextHost
  private readonly compartment = new Compartment()
  private readonly diff: Diff
  private epoch = ''
  /** The text that the server has confirmed. */
  private synced: Text = Text.empty
  /** The number of the first unconfirmed update. */
  private seq = 1
  /** The number of the last update sent on this connection. */
  private sentSeq = 0
  /** The number of the last update that the server may have. */
  private usedSeq = 0
  private recent: { version: number; changes: ChangeSet }[] = []
  private isJoined = false
  private isForgotten = false

  /** @param diff finds the changes between texts of different epochs */
  constructor(host: TextHost, clientId: string, diff: Diff) {
    this.host = host
    this.clientId = clientId
    this.diff = diff
    host.dispatch({ effects: StateEffect.appendConfig.of(this.compartment.of([])) })
  }

  get version(): number {
    return this.isJoined ? getSyncedVersion(this.host.state) : 0
  }

  /** What a new connection resumes. */
  get position(): { epoch: string; version: number } | null {
    return this.isJoined && !this.isForgotten ? { epoch: this.epoch, version: this.version } : null
  }

  /** Makes the next connection request the whole text. */
  forget(): void {
    this.isForgotten = true
  }

  get syncedText(): Text {
    return this.synced
  }

  get isConfirmed(): boolean {
    return !this.isJoined || sendableUpdates(this.host.state).length === 0
  }

  get pending(): PendingUpdates | null {
    if (this.isConfirmed) return null
    const updates = sendableUpdates(this.host.state).map(({ changes }) => changes.toJSON())
    return { epoch: this.epoch, version: this.version, seq: this.seq, updates }
  }

  get unconfirmed(): ChangeSet {
    return compose(
      sendableUpdates(this.host.state).map(({ changes }) => changes),
      this.synced.length,
    )
  }

  /** Continues an earlier page. The server may have any of its updates. */
  resume({ epoch, version, seq, updates }: PendingUpdates): void {
    this.join(epoch, version, this.host.state.doc)
    this.seq = seq
    for (const one of updates) {
      const changes = ChangeSet.fromJSON(one)
      this.host.dispatch({ changes, ...(changes.empty && { effects: emptyUpdate.of(null) }) })
    }
    this.usedSeq = seq + updates.length - 1
  }

  /** @param base of the shown text, where it was not shared yet */
  handleOpened({ epoch, version, text, updates }: OpenedMessage, base?: Text): void {
    this.sentSeq = this.seq - 1
    if (text === undefined) this.receive(this.version, updates ?? [])
    else this.replace(epoch, version, Text.of(text.split('\n')), base)
    this.sentSeq = this.seq - 1
  }

  /** Applies the updates after a version, except known ones. @returns false if earlier ones are missing */
  receive(from: number, updates: UpdatesMessage['updates']): boolean {
    const missing = updates.slice(Math.max(0, this.version - from))
    if (from > this.version) return false
    if (missing.length === 0) return true
    const changes = missing.map((update) => ChangeSet.fromJSON(update.changes))
    const received = missing.map(({ clientId }, index) => ({ clientID: clientId, changes: changes[index]! }))
    // Throws, before anything is changed, if the updates do not fit.
    const transaction = receiveUpdates(this.host.state, received)
    this.synced = changes.reduce((text, one) => one.apply(text), this.synced)
    for (const [index, one] of changes.entries())
      this.recent.push({ version: this.version + index + 1, changes: one })
    this.recent = this.recent.slice(-maxRecentUpdates)
    const own = missing.filter(({ clientId }) => clientId === this.clientId)
    this.seq = Math.max(this.seq, ...own.map(({ seq }) => seq + 1))
    this.host.dispatch(transaction)
    return true
  }

  /** Returns what to send now; null while a push is unconfirmed. */
  nextPush(): PushMessage | null {
    if (!this.isJoined || this.sentSeq >= this.seq) return null
    const updates: PushMessage['updates'] = []
    let length = 0
    for (const { changes } of sendableUpdates(this.host.state)) {
      const json: unknown = changes.toJSON()
      length += JSON.stringify(json).length
      if (updates.length > 0 && length > maxPushLength) break
      updates.push({ seq: this.seq + updates.length, changes: json })
    }
    if (updates.length === 0) return null
    this.sentSeq = updates.at(-1)!.seq
    this.usedSeq = Math.max(this.usedSeq, this.sentSeq)
    return { type: 'push', version: this.version, updates }
  }

  /** Maps a position to the confirmed text. */
  toSynced(position: number): number {
    return this.unconfirmed.invertedDesc.mapPos(position)
  }

  /** Maps a position of an older version to the current text; null if the version is too old. */
  fromVersion(version: number, position: number): number | null {
    if (version > this.version) return null
    const newer = this.recent.filter((one) => one.version > version)
    if (newer.length < this.version - version) return null
    let at = position
    for (const { changes } of newer) {
      if (at > changes.length) return null
      at = changes.mapPos(at, 1)
    }
    return at > this.synced.length ? null : this.unconfirmed.mapPos(at, 1)
  }

  /** Applies changes of another text, rebased over the difference. */
  adopt(base: Text, changes: ChangeSet): void {
    const rebased = changes.map(this.diff(base, this.host.state.doc))
    this.host.dispatch({ changes: rebased, userEvent: 'input.restore' })
  }

  leave(): void {
    this.configure([])
    this.isJoined = false
  }

  /** Adopts a text of another epoch, and reapplies unconfirmed changes that it does not contain. */
  private replace(epoch: string, version: number, text: Text, base = this.host.state.doc): void {
    const { doc, selection } = this.host.state
    const unsent = this.isJoined ? this.findUnsent(text) : { base, changes: this.diff(base, doc) }
    const rebased = unsent.changes.map(this.diff(unsent.base, text))
    this.configure([])
    this.host.dispatch({
      changes: this.diff(doc, text),
      annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
      filter: false,
    })
    this.seq = this.usedSeq + 1
    this.join(epoch, version, text)
    const newDoc = rebased.apply(text)
    this.host.dispatch({
      changes: rebased,
      selection: selection.map(this.diff(doc, newDoc)),
      userEvent: 'input.restore',
    })
  }

  private join(epoch: string, version: number, text: Text): void {
    this.epoch = epoch
    this.synced = text
    this.recent = []
    const sharedEffects = ({ effects }: Transaction) => effects.filter((one) => one.is(emptyUpdate))
    this.configure(collab({ startVersion: version, clientID: this.clientId, sharedEffects }))
    this.isJoined = true
    this.isForgotten = false
  }

  /** The server may have some of the updates already: the closest text tells how many. */
  private findUnsent(text: Text): { base: Text; changes: ChangeSet } {
    const updates = sendableUpdates(this.host.state).map(({ changes }) => changes)
    const count = this.countContained(updates.slice(0, Math.max(0, this.usedSeq - this.seq + 1)), text)
    const base = compose(updates.slice(0, count), this.synced.length).apply(this.synced)
    return { base, changes: compose(updates.slice(count), base.length) }
  }

  /** Returns how many of the updates a text contains, without gaps. */
  private countContained(updates: readonly ChangeSet[], text: Text): number {
    let [from, to] = [0, updates.length]
    for (;;) {
      const step = Math.max(1, Math.ceil((to - from) / comparisonsPerStep))
      const nearest = this.findNearest(updates, text, { from, to, step })
      if (step === 1) return nearest
      from = Math.max(from, nearest - step + 1)
      to = Math.min(to, nearest + step - 1)
    }
  }

  private findNearest(
    updates: readonly ChangeSet[],
    text: Text,
    { from, to, step }: { from: number; to: number; step: number },
  ): number {
    let [nearest, distance, candidate] = [from, Number.POSITIVE_INFINITY, this.synced]
    for (let count = 0; count <= to; count++) {
      if (count > 0) candidate = updates[count - 1]!.apply(candidate)
      if (count < from || (count - from) % step !== 0) continue
      const size = sizeOf(this.diff(candidate, text))
      if (size < distance) [nearest, distance] = [count, size]
    }
    return nearest
  }

  private configure(extension: Extension): void {
    this.host.dispatch({ effects: this.compartment.reconfigure(extension) })
  }
}

const compose = (changes: readonly ChangeSet[], length: number): ChangeSet =>
  changes.reduce((all, one) => all.compose(one), ChangeSet.empty(length))

function sizeOf(changes: ChangeSet): number {
  let size = 0
  changes.iterChanges((fromA, toA, fromB, toB) => {
    size += toA - fromA + (toB - fromB)
  })
  return size
}
