import { rebaseUpdates } from '@codemirror/collab'
import { ChangeSet, Text } from '@codemirror/state'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LiveOrigin, PushMessage } from './protocol.ts'
import { textDifference } from './text-difference.ts'

export interface LiveStep {
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

export interface SentText {
  readonly version: number
  readonly text: Text
  since: ChangeSet
  readonly written: Map<string, number>
}

/** At least this many updates are kept for clients that reconnect, unless longer than this as JSON. */
const keptSteps = 2000
const keptLength = 4_000_000

/** Splits at line feeds alone: a carriage return is an ordinary character. */
export const textOf = (text: string): Text => Text.of(text.split('\n'))

/** A text with several writers, in memory: ordered updates, each based on the text of the one before. */
export class LiveText {
  readonly epoch: string
  text: Text
  version: number
  private base: LiveBase
  private unsavedChanges: ChangeSet
  private kept: { step: LiveStep; length: number }[] = []
  private lengthOfKept = 0
  private sent: SentText | null = null
  private readonly lastSeq = new Map<string, number>()
  private written = new Map<string, number>()
  private savedUpTo: number

  /** @param steps known updates in order, including some older than the base */
  constructor(epoch: string, base: LiveBase, steps: readonly LiveStep[] = []) {
    this.epoch = epoch
    this.base = base
    this.unsavedChanges = base.unsaved
    this.text = base.unsaved.apply(base.text)
    this.version = base.version
    this.savedUpTo = base.unsaved.empty ? base.version : 0
    for (const step of steps) {
      if (step.version > base.version) this.apply(step)
      else this.remember(step)
    }
    if (this.kept.at(-1)?.step.version !== this.version) this.forget(this.kept.length)
    // Which updates the base lacks is not known, so the members who wrote the known ones are its writers.
    if (!base.unsaved.empty && this.written.size === 0) this.written = contributionsOf(steps)
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
    return Math.min(this.base.version, this.firstKept - 1)
  }

  get contributions(): Contributions {
    return this.written
  }

  stepsSince(version: number): LiveStep[] | null {
    const first = this.firstKept
    if (version > this.version || version < first - 1) return null
    return this.kept.slice(version - first + 1).map(({ step }) => step)
  }

  /** Skips updates that are sent again. @throws WorkspaceError `conflict` (unknown version), `bad_request` */
  push(by: { clientId: string; memberId: string }, { version, updates }: PushMessage): LiveStep[] {
    const last = this.lastSeq.get(by.clientId) ?? 0
    if (updates.every(({ seq }) => seq <= last)) return []
    const over = this.stepsSince(version)
    if (over === null) throw new WorkspaceError('conflict', 'The version is not known. Open the text anew.')
    const known = over.find(({ clientId }) => clientId === by.clientId)
    const first = updates[0]!.seq
    // Missing numbers were sent for a text that has ended, and never arrived.
    if (known ? first !== known.seq : first <= last) {
      throw new WorkspaceError('conflict', 'Changes before these are missing. Open the text anew.')
    }
    const sent = updates.map(({ changes }) => ({ clientID: by.clientId, changes: parseChanges(changes) }))
    const rebased = this.rebase(sent, over)
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

  private rebase(sent: { clientID: string; changes: ChangeSet }[], over: readonly LiveStep[]) {
    try {
      const others = over.map(({ clientId, changes }) => ({ clientID: clientId, changes }))
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
  writtenElsewhere(
    revision: string,
    text: Text,
    by: { memberId: string; origin: LiveOrigin },
  ): LiveStep | null {
    const difference = textDifference(this.base.text, text)
    const changes = difference.map(this.unsavedChanges)
    const unsaved = this.unsavedChanges.map(difference, true)
    return this.rebaseTo({ revision, text, unsaved }, changes, by)
  }

  /** Begins a save of the current text, and gives up one begun before. */
  beginSave(): SentText {
    const { text, version } = this
    this.sent = { version, text, since: ChangeSet.empty(text.length), written: new Map() }
    return this.sent
  }

  /** Returns the update with what the save changed in the text, such as a name that became a mention. */
  saved(
    sent: SentText,
    { revision, text }: { revision: string; text: Text },
    by: { memberId: string; origin: LiveOrigin },
  ): LiveStep | null {
    const { since, version, written } = sent
    const difference = textDifference(sent.text, text)
    this.sent = null
    this.written = written
    this.savedUpTo = version
    const unsaved = since.map(difference, true)
    return this.rebaseTo({ revision, text, unsaved }, difference.map(since), by)
  }

  /** Applies a text that was written on an older revision (`base`); null if the text has it already. */
  displaced(
    base: Text,
    { revision, text }: { revision: string; text: Text },
    by: { memberId: string; origin: LiveOrigin },
  ): LiveStep | null {
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
  ): LiveStep | null {
    const step = changes.empty
      ? null
      : this.apply({ ...by, clientId: '', seq: 0, changes, version: this.version + 1 })
    this.unsavedChanges = base.unsaved
    this.base = { ...base, version: this.version }
    if (base.unsaved.empty) this.savedUpTo = this.version
    return step
  }

  private apply(step: LiveStep): LiveStep {
    const { changes, clientId, memberId } = step
    this.text = changes.apply(this.text)
    this.version = step.version
    this.unsavedChanges = this.unsavedChanges.compose(changes)
    const { sent } = this
    if (sent) sent.since = sent.since.compose(changes)
    if (clientId !== '') {
      for (const written of sent ? [this.written, sent.written] : [this.written])
        written.set(memberId, (written.get(memberId) ?? 0) + sizeOf(changes))
    }
    this.remember(step)
    return step
  }

  private get firstKept(): number {
    return this.kept[0]?.step.version ?? this.version + 1
  }

  private remember(step: LiveStep): void {
    if (this.kept.length > 0 && this.kept.at(-1)!.step.version !== step.version - 1)
      this.forget(this.kept.length)
    const length = JSON.stringify(step.changes).length
    this.kept.push({ step, length })
    this.lengthOfKept += length
    if (step.clientId !== '') this.lastSeq.set(step.clientId, step.seq)
    if (this.kept.length > 2 * keptSteps || this.lengthOfKept > 2 * keptLength) this.forget(this.oldest)
  }

  private get oldest(): number {
    let [count, length] = [0, 0]
    for (let at = this.kept.length - 1; at >= 0 && count < keptSteps; at--) {
      length += this.kept[at]!.length
      if (length > keptLength) break
      count += 1
    }
    return this.kept.length - count
  }

  private forget(count: number): void {
    for (const { step, length } of this.kept.splice(0, count)) {
      this.lengthOfKept -= length
      // If its client sends it again, the version that it names is not known.
      if (this.lastSeq.get(step.clientId) === step.seq) this.lastSeq.delete(step.clientId)
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

function contributionsOf(steps: readonly LiveStep[]): Map<string, number> {
  const contributions = new Map<string, number>()
  for (const { clientId, memberId, changes } of steps) {
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
