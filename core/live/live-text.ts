import { rebaseUpdates } from '@codemirror/collab'
import { ChangeSet, Text } from '@codemirror/state'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LiveOrigin, PushMessage } from './protocol.ts'
import { textDifference } from './text-difference.ts'

export interface LiveStep {
  /** Of the text after it. */
  version: number
  clientId: string
  /** Counted by the client. */
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

/** Who wrote, in characters written or deleted. */
type Contributions = ReadonlyMap<string, number>

/** So many steps are kept for clients that come back. */
export const keptSteps = 2000

/** Lines end with a line feed; a carriage return is a character like others. */
export const textOf = (text: string): Text => Text.of(text.split('\n'))

/** One text that several people write, in memory: steps of one order, each on the text of the step before. */
export class LiveText {
  readonly epoch: string
  text: Text
  version: number
  private base: LiveBase
  private unsavedChanges: ChangeSet
  private readonly kept: LiveStep[] = []
  private readonly lastSeq = new Map<string, number>()
  private written = new Map<string, number>()
  private savedUpTo: number

  /** @param steps those that are known, in order, also older ones than the base */
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
    if (this.kept.at(-1)?.version !== this.version) this.kept.length = 0
    // Which steps the base has not saved is not known: those who wrote last are its writers.
    if (!base.unsaved.empty && this.written.size === 0) this.written = contributionsOf(steps)
  }

  get revision(): string {
    return this.base.revision
  }

  /** The version up to which a revision holds all. */
  get savedVersion(): number {
    return this.savedUpTo
  }

  /** For a restart. */
  get restartingBase(): LiveBase {
    return this.base
  }

  get isSaved(): boolean {
    return this.unsavedChanges.empty
  }

  get unsaved(): ChangeSet {
    return this.unsavedChanges
  }

  get contributions(): Contributions {
    return this.written
  }

  /** The steps after a version; null if they are not kept. */
  stepsSince(version: number): LiveStep[] | null {
    const first = this.kept[0]?.version ?? this.version + 1
    if (version > this.version || version < first - 1) return null
    return this.kept.slice(version - first + 1)
  }

  /**
   * Takes what a client wrote on a version that may be older. Steps that it sends again are left out.
   * @throws WorkspaceError `conflict` for a version that is not known; `bad_request` for changes that do not fit it
   */
  push(by: { clientId: string; memberId: string }, { version, updates }: PushMessage): LiveStep[] {
    const last = this.lastSeq.get(by.clientId) ?? 0
    if (updates.every(({ seq }) => seq <= last)) return []
    const over = this.stepsSince(version)
    if (over === null) throw new WorkspaceError('conflict', 'The version is not known. Open the text anew.')
    const known = over.find(({ clientId }) => clientId === by.clientId)
    const first = updates[0]!.seq
    // Numbers that are left out were sent for a text that has ended, and never came.
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
        if (changes.length !== length) throw new RangeError('The changes are of another text.')
        length = changes.newLength
      }
      return rebased
    } catch {
      throw new WorkspaceError('bad_request', 'The changes do not fit the version that they name.')
    }
  }

  /**
   * A revision that was written elsewhere: what it changed is done to the text, and what was not saved stays.
   * @returns null if the text has it already
   */
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

  /**
   * The text of a version was saved. The revision may differ from it: a name becomes a mention.
   * @param sent the text of the version
   * @returns the step that does the same to the text; null if there is none
   */
  saved(
    { version, sent }: { version: number; sent: Text },
    { revision, text }: { revision: string; text: Text },
    by: { memberId: string; origin: LiveOrigin },
  ): LiveStep | null {
    const later = this.stepsSince(version)!
    const since = composed(later, sent.length)
    const difference = textDifference(sent, text)
    this.written = contributionsOf(later)
    this.savedUpTo = version
    const unsaved = since.map(difference, true)
    return this.rebaseTo({ revision, text, unsaved }, difference.map(since), by)
  }

  /**
   * A text that was written on an older revision, and replaced at once: what it changed is done to the text.
   * @param base the text of that revision
   * @returns null if the text has it already
   */
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
    if (clientId !== '') this.written.set(memberId, (this.written.get(memberId) ?? 0) + sizeOf(changes))
    this.remember(step)
    return step
  }

  private remember(step: LiveStep): void {
    if (this.kept.length > 0 && this.kept.at(-1)!.version !== step.version - 1) this.kept.length = 0
    this.kept.push(step)
    if (step.clientId !== '') this.lastSeq.set(step.clientId, step.seq)
    if (this.kept.length > 2 * keptSteps) this.kept.splice(0, keptSteps)
  }
}

/** @throws RangeError for what is no change set */
function parseChanges(json: unknown): ChangeSet {
  try {
    return ChangeSet.fromJSON(json)
  } catch {
    throw new WorkspaceError('bad_request', 'The changes are malformed.')
  }
}

const composed = (steps: readonly LiveStep[], length: number): ChangeSet =>
  steps.reduce((all, { changes }) => all.compose(changes), ChangeSet.empty(length))

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
