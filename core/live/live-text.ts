import { rebaseUpdates } from '@codemirror/collab'
import { ChangeSet, Text } from '@codemirror/state'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LiveOrigin, PushMessage } from './protocol.ts'
import { textDifference } from './text-difference.ts'

export interface TextUpdate {
  version: number
  clientId: string
  seq: number
  memberId: string
  origin: LiveOrigin
  changes: ChangeSet
}

/** A revision, and how the text of `version` differs from it. */
export interface LiveBase {
  revision: string
  text: Text
  version: number
  unsaved: ChangeSet
}

/** Characters written or deleted, by member. */
type Contributions = ReadonlyMap<string, number>

export interface PendingSave {
  readonly version: number
  readonly text: Text
  since: ChangeSet
  readonly written: Map<string, number>
}

/** At least this many updates are kept for clients that reconnect, unless longer than this as JSON. */
const minHistoryUpdates = 2000
const maxHistoryLength = 4_000_000

/** Splits at line feeds alone: a carriage return is an ordinary character. */
export const textOf = (text: string): Text => Text.of(text.split('\n'))

/** A text with several writers, in memory: ordered updates, each based on the text of the one before. */
export class LiveText {
  readonly epoch: string
  text: Text
  version: number
  private base: LiveBase
  private unsavedChanges: ChangeSet
  private history: { update: TextUpdate; length: number }[] = []
  private historyLength = 0
  private pendingSave: PendingSave | null = null
  private readonly lastSeq = new Map<string, number>()
  private written = new Map<string, number>()
  private savedUpTo: number

  /** @param updates known updates in order, including some older than the base */
  constructor(epoch: string, base: LiveBase, updates: readonly TextUpdate[] = []) {
    this.epoch = epoch
    this.base = base
    this.unsavedChanges = base.unsaved
    this.text = base.unsaved.apply(base.text)
    this.version = base.version
    this.savedUpTo = base.unsaved.empty ? base.version : 0
    for (const update of updates) {
      if (update.version > base.version) this.apply(update)
      else this.remember(update)
    }
    if (this.history.at(-1)?.update.version !== this.version) this.forget(this.history.length)
    // Which updates the base lacks is not known, so the members who wrote the known ones are its writers.
    if (!base.unsaved.empty && this.written.size === 0) this.written = contributionsOf(updates)
  }

  get revision(): string {
    return this.base.revision
  }

  /** Everything up to this version is in a revision. */
  get savedVersion(): number {
    return this.savedUpTo
  }

  get restartingBase(): LiveBase {
    return this.base
  }

  get isSaved(): boolean {
    return this.unsavedChanges.empty
  }

  /** No update up to this version is needed any more. */
  get forgottenVersion(): number {
    return Math.min(this.base.version, this.oldestVersion - 1)
  }

  get contributions(): Contributions {
    return this.written
  }

  updatesSince(version: number): TextUpdate[] | null {
    const first = this.oldestVersion
    if (version > this.version || version < first - 1) return null
    return this.history.slice(version - first + 1).map(({ update }) => update)
  }

  /** Skips updates that are sent again. @throws WorkspaceError `conflict` (unknown version), `bad_request` */
  push(by: { clientId: string; memberId: string }, { version, updates }: PushMessage): TextUpdate[] {
    const last = this.lastSeq.get(by.clientId) ?? 0
    if (updates.every(({ seq }) => seq <= last)) return []
    const newer = this.updatesSince(version)
    if (newer === null) throw new WorkspaceError('conflict', 'The version is not known. Open the text anew.')
    const ownUpdate = newer.find(({ clientId }) => clientId === by.clientId)
    const first = updates[0]!.seq
    // Missing numbers were sent for a text that has ended, and never arrived.
    if (ownUpdate ? first !== ownUpdate.seq : first <= last) {
      throw new WorkspaceError('conflict', 'Changes before these are missing. Open the text anew.')
    }
    const sent = updates.map(({ changes }) => ({ clientID: by.clientId, changes: parseChanges(changes) }))
    const rebased = this.rebase(sent, newer)
    const skipped = updates.length - rebased.length
    return rebased.map(({ changes }, index) =>
      this.apply({
        ...by,
        origin: 'typing',
        changes,
        seq: updates[skipped + index]!.seq,
        version: this.version + 1,
      }),
    )
  }

  private rebase(sent: { clientID: string; changes: ChangeSet }[], newer: readonly TextUpdate[]) {
    try {
      const others = newer.map(({ clientId, changes }) => ({ clientID: clientId, changes }))
      const rebased = rebaseUpdates(sent, others)
      let { length } = this.text
      for (const { changes } of rebased) {
        if (changes.length !== length) throw new RangeError('The changes belong to another text.')
        length = changes.newLength
      }
      return rebased
    } catch {
      throw new WorkspaceError('bad_request', 'The changes do not fit the version that they name.')
    }
  }

  /** Applies what a revision changed; unsaved changes stay. Returns null if the text has it already. */
  applyRevision(
    revision: string,
    text: Text,
    by: { memberId: string; origin: LiveOrigin },
  ): TextUpdate | null {
    const difference = textDifference(this.base.text, text)
    const changes = difference.map(this.unsavedChanges)
    const unsaved = this.unsavedChanges.map(difference, true)
    return this.rebaseTo({ revision, text, unsaved }, changes, by)
  }

  /** Begins a save of the current text, and gives up one begun before. */
  beginSave(): PendingSave {
    const { text, version } = this
    this.pendingSave = { version, text, since: ChangeSet.empty(text.length), written: new Map() }
    return this.pendingSave
  }

  /** Returns the update with what the save changed in the text, such as a name that became a mention. */
  finishSave(
    save: PendingSave,
    { revision, text }: { revision: string; text: Text },
    by: { memberId: string; origin: LiveOrigin },
  ): TextUpdate | null {
    const { since, version, written } = save
    const difference = textDifference(save.text, text)
    this.pendingSave = null
    this.written = written
    this.savedUpTo = version
    const unsaved = since.map(difference, true)
    return this.rebaseTo({ revision, text, unsaved }, difference.map(since), by)
  }

  /** Applies a text that was written on an older revision (`base`); null if the text has it already. */
  applyDisplaced(
    base: Text,
    { revision, text }: { revision: string; text: Text },
    by: { memberId: string; origin: LiveOrigin },
  ): TextUpdate | null {
    const clientId = `disk:${revision}`
    if (this.lastSeq.has(clientId)) return null
    const changes = textDifference(base, text).map(textDifference(base, this.text))
    if (changes.empty) return null
    return this.apply({ ...by, clientId, seq: 1, changes, version: this.version + 1 })
  }

  private rebaseTo(
    base: Omit<LiveBase, 'version'>,
    changes: ChangeSet,
    by: { memberId: string; origin: LiveOrigin },
  ): TextUpdate | null {
    const update = changes.empty
      ? null
      : this.apply({ ...by, clientId: '', seq: 0, changes, version: this.version + 1 })
    this.unsavedChanges = base.unsaved
    this.base = { ...base, version: this.version }
    if (base.unsaved.empty) this.savedUpTo = this.version
    return update
  }

  private apply(update: TextUpdate): TextUpdate {
    const { changes, clientId, memberId } = update
    this.text = changes.apply(this.text)
    this.version = update.version
    this.unsavedChanges = this.unsavedChanges.compose(changes)
    const { pendingSave } = this
    if (pendingSave) pendingSave.since = pendingSave.since.compose(changes)
    if (clientId !== '') {
      for (const written of pendingSave ? [this.written, pendingSave.written] : [this.written])
        written.set(memberId, (written.get(memberId) ?? 0) + sizeOf(changes))
    }
    this.remember(update)
    return update
  }

  private get oldestVersion(): number {
    return this.history[0]?.update.version ?? this.version + 1
  }

  private remember(update: TextUpdate): void {
    if (this.history.length > 0 && this.history.at(-1)!.update.version !== update.version - 1)
      this.forget(this.history.length)
    const length = JSON.stringify(update.changes).length
    this.history.push({ update, length })
    this.historyLength += length
    if (update.clientId !== '') this.lastSeq.set(update.clientId, update.seq)
    if (this.history.length > 2 * minHistoryUpdates || this.historyLength > 2 * maxHistoryLength)
      this.forget(this.excessCount)
  }

  private get excessCount(): number {
    let [count, length] = [0, 0]
    for (let at = this.history.length - 1; at >= 0 && count < minHistoryUpdates; at--) {
      length += this.history[at]!.length
      if (length > maxHistoryLength) break
      count += 1
    }
    return this.history.length - count
  }

  private forget(count: number): void {
    for (const { update, length } of this.history.splice(0, count)) {
      this.historyLength -= length
      // If its client sends it again, the version that it names is not known.
      if (this.lastSeq.get(update.clientId) === update.seq) this.lastSeq.delete(update.clientId)
    }
  }
}

function parseChanges(json: unknown): ChangeSet {
  try {
    return ChangeSet.fromJSON(json)
  } catch {
    throw new WorkspaceError('bad_request', 'The changes are malformed.')
  }
}

function contributionsOf(updates: readonly TextUpdate[]): Map<string, number> {
  const contributions = new Map<string, number>()
  for (const { clientId, memberId, changes } of updates) {
    if (clientId === '') continue
    contributions.set(memberId, (contributions.get(memberId) ?? 0) + sizeOf(changes))
  }
  return contributions
}

function sizeOf(changes: ChangeSet): number {
  let size = 0
  changes.iterChanges((from, to, _, __, inserted) => {
    size += to - from + inserted.length
  })
  return size
}
