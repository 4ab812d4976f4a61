import { nameKey, type Staged, type Tree } from '../../data/tree/index.ts'
import { Alarm } from '../alarm.ts'
import type { Clock } from '../clock.ts'
import type { Parts } from '../documents/parts.ts'
import { type Condition, preconditionFailure } from '../documents/path-writes.ts'
import { WorkspaceError } from '../errors.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import { receiving } from '../files/receiving.ts'
import { servedFile } from '../files/served-file.ts'
import type { Member } from '../members/types.ts'
import { unavailable } from '../unavailable.ts'
import type { Mounted, MountedFile, Names, PutResult } from './types.ts'

/** How long a program may leave its temporaries lying about. */
const lifeMs = 60 * 60 * 1000
/** Of one member; the oldest go first. */
const mostEntries = 500
const mostBytes = 256 * 1024 * 1024

interface Entry {
  memberId: string
  names: Names
  /** null: a folder. */
  staged: Staged | null
  dueMs: number
}

/** Where `.workroom/tmp` lies within the home. */
const stagingFolder = '.workroom/tmp'

/**
 * The temporaries of file managers and editors: what they write under names that are no document's, such as `._notes.md`,
 * `.~lock.plan.odt#` or `x.md~`, only to rename or remove it soon. They are kept outside of the projects, shown to who
 * wrote them alone, and gone after an hour or with the end of the process.
 */
export class Scratch {
  private readonly tree: Tree
  private readonly clock: Clock
  private readonly diskNow: () => number
  /** Oldest first. */
  private readonly entries = new Map<string, Entry>()
  private readonly sweeping: Alarm

  constructor({ tree, clock, diskNow, onProblem }: Pick<Parts, 'tree' | 'clock' | 'diskNow' | 'onProblem'>) {
    this.tree = tree
    this.clock = clock
    this.diskNow = diskNow
    this.sweeping = new Alarm(
      clock,
      async () => this.sweep(),
      (error) => onProblem('Temporaries could not be removed; this is tried again', error),
    )
  }

  find(member: Member, names: Names): Mounted | null {
    const entry = this.entries.get(keyOf(member, names))
    return entry ? this.shown(entry) : null
  }

  /** What lies in a folder itself. */
  list(member: Member, folder: Names): Mounted[] {
    const prefix = `${keyOf(member, folder)}/`
    const inIt = [...this.entries].filter(
      ([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'),
    )
    return inIt.flatMap(([, entry]) => this.shown(entry) ?? [])
  }

  /** @throws WorkspaceError `precondition_failed`, `conflict` where a folder lies there, `unavailable` */
  put(
    member: Member,
    names: Names,
    bytes: AsyncIterable<Uint8Array>,
    condition: Condition,
  ): Promise<PutResult> {
    return receiving(this.tree, bytes, async (staged) => {
      const before = this.find(member, names)
      if (before?.kind === 'folder') throw new WorkspaceError('conflict', 'A folder has this name.')
      if (!condition(before?.tag ?? null)) throw preconditionFailure(before !== null)
      this.drop(keyOf(member, names))
      this.add({ memberId: member.id, names, staged, dueMs: this.clock.now() + lifeMs })
      const { tag, isTagUncertain } = this.find(member, names) as MountedFile
      return { created: before === null, tag, isTagUncertain }
    }).catch((error) => {
      throw unavailable(error)
    })
  }

  makeFolder(member: Member, names: Names): void {
    this.add({ memberId: member.id, names, staged: null, dueMs: this.clock.now() + lifeMs })
  }

  /** Removes a temporary, of a folder also all that is in it. */
  remove(member: Member, names: Names): void {
    const own = keyOf(member, names)
    for (const key of [...this.entries.keys()]) {
      if (key === own || key.startsWith(`${own}/`)) this.drop(key)
    }
  }

  async stop(): Promise<void> {
    await this.sweeping.stop()
    for (const key of [...this.entries.keys()]) this.drop(key)
  }

  private shown({ names, staged }: Entry): Mounted | null {
    const name = names.at(-1)!
    if (staged === null) return { kind: 'folder', name, changedMs: null }
    const as = { name, type: mediaTypeOf(name) }
    const file = servedFile(this.tree, `${stagingFolder}/${staged.name}`, as, this.diskNow())
    return file && { kind: 'file', ...file }
  }

  private add(entry: Entry): void {
    this.entries.set(keyOf({ id: entry.memberId }, entry.names), entry)
    const own = [...this.entries].filter(([, { memberId }]) => memberId === entry.memberId)
    let count = own.length
    let bytes = own.reduce((sum, [, { staged }]) => sum + (staged?.stamp.size ?? 0), 0)
    for (const [key, { staged }] of own) {
      if (count <= mostEntries && bytes <= mostBytes) break
      if (this.entries.get(key) === entry) break
      count -= 1
      bytes -= staged?.stamp.size ?? 0
      this.drop(key)
    }
    this.sweeping.dueAt(entry.dueMs)
  }

  private sweep(): number | null {
    for (const [key, { dueMs }] of [...this.entries]) {
      if (dueMs > this.clock.now()) return dueMs
      this.drop(key)
    }
    return null
  }

  private drop(key: string): void {
    const staged = this.entries.get(key)?.staged
    this.entries.delete(key)
    if (staged) this.tree.discard(staged.name)
  }
}

const keyOf = ({ id }: Pick<Member, 'id'>, names: Names): string =>
  [id, ...names.map((name) => nameKey(name).replaceAll('/', ' '))].join('/')
