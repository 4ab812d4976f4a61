import { rebaseUpdates, type Update } from '@codemirror/collab'
import { ChangeSet, type Text } from '@codemirror/state'
import t from 'tap'
import { LiveText, type TextUpdate, textOf } from '../../../core/live/live-text.ts'

const words = 'The harbour is quiet today.\r\n\r\nShips come in at high water.\n'

/** Pseudo-random numbers below `limit`, repeatable by their seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

/** An editor that receives updates late, and sends its own late, twice or not at all. */
class ModelEditor {
  text: Text
  version: number
  private confirmed = 0
  private pending: ChangeSet[] = []
  private readonly id: string

  constructor(id: string, server: LiveText) {
    this.id = id
    this.text = server.text
    this.version = server.version
  }

  get isIdle(): boolean {
    return this.pending.length === 0
  }

  type(at: number, insert: string): void {
    const changes = ChangeSet.of({ from: Math.min(at, this.text.length), insert }, this.text.length)
    this.pending.push(changes)
    this.text = changes.apply(this.text)
  }

  push(server: LiveText): void {
    const updates = this.pending.map((changes, index) => ({
      seq: this.confirmed + index + 1,
      changes: changes.toJSON() as unknown,
    }))
    if (updates.length > 0) {
      const by = { clientId: this.id, memberId: this.id }
      server.push(by, { type: 'push', version: this.version, updates })
    }
  }

  /** Receives at most `count` updates. */
  receive(server: LiveText, count = Number.POSITIVE_INFINITY): void {
    for (const { clientId, changes } of server.updatesSince(this.version)!.slice(0, count)) {
      this.version += 1
      if (clientId === this.id) {
        this.pending.shift()
        this.confirmed += 1
        continue
      }
      const own: Update[] = this.pending.map((one) => ({ changes: one, clientID: this.id }))
      const composed = this.pending.reduce<ChangeSet | null>((all, one) => all?.compose(one) ?? one, null)
      this.text = (composed ? changes.map(composed, true) : changes).apply(this.text)
      this.pending = rebaseUpdates(own, [{ changes, clientID: clientId }]).map((one) => one.changes)
    }
  }
}

/** The live text after a kill, from what was stored. */
function restored(server: LiveText): LiveText {
  const copyOf = (changes: ChangeSet) => ChangeSet.fromJSON(JSON.parse(JSON.stringify(changes)))
  const base = server.restartingBase
  const steps = server
    .updatesSince(0)!
    .map((step): TextUpdate => ({ ...step, changes: copyOf(step.changes) }))
  return new LiveText(server.epoch, { ...base, unsaved: copyOf(base.unsaved) }, steps)
}

function play(seed: number): { texts: string[]; tokens: string[]; file: string } {
  const next = numbers(seed)
  let file = words
  const text = textOf(words)
  const base = { revision: 'r0', text, version: 0, unsaved: ChangeSet.empty(text.length) }
  let server = new LiveText('e', base)
  const editors = Array.from({ length: 4 }, (_, index) => new ModelEditor(`editor${index}`, server))
  const tokens: string[] = []
  const token = () => {
    // A character of its own, so that no difference takes one token for part of another.
    const made = String.fromCodePoint(0x4e00 + tokens.length)
    tokens.push(made)
    return made
  }
  const by = { memberId: 'agent', origin: 'put' as const }
  const save = () => {
    file = server.text.toString()
    server.finishSave(server.beginSave(), { revision: `r${server.version}`, text: server.text }, by)
  }
  for (let step = 0; step < 300; step++) {
    const editor = editors[next(editors.length)]!
    const action = next(10)
    if (action < 4) editor.type(next(editor.text.length + 1), token())
    else if (action < 6) editor.push(server)
    else if (action < 8) editor.receive(server, 1 + next(5))
    else if (action === 8) {
      const at = next(file.length + 1)
      file = file.slice(0, at) + token() + file.slice(at)
      server.applyRevision(`w${step}`, textOf(file), by)
    } else if (next(2) === 0) save()
    else server = restored(server)
  }
  for (const editor of editors) editor.push(server)
  for (const editor of editors) editor.receive(server)
  save()
  return { texts: [server.text, ...editors.map(({ text }) => text)].map(String), tokens, file }
}

t.test('edits, file writes, saves and restarts in any order neither lose nor repeat text', async (t) => {
  for (let seed = 1; seed <= 60; seed++) {
    const { texts, tokens, file } = play(seed)
    const wrong = tokens.filter((token) => file.split(token).length !== 2)
    if (texts.some((text) => text !== file) || wrong.length > 0) {
      t.fail(`seed ${seed}: ${wrong.length} of ${tokens.length} tokens are missing or repeated`)
      t.same(
        texts,
        texts.map(() => file),
      )
      return
    }
  }
  t.pass()
})
