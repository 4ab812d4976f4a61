import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import type { Signin } from '../../support/live-editor.ts'
import type { Choices } from './choices.ts'
import type { Network } from './faulty-socket.ts'
import type { KilledServer } from './killed-server.ts'
import { Letters } from './letters.ts'
import { OtherWriters, placeIn } from './other-writers.ts'
import { PageEditor } from './page-editor.ts'

export interface Writing {
  /** How many times the server is killed meanwhile. */
  kills: number
  /** The longest time from a start to the next kill, and from the last kill to the end. */
  maxLifeMs: number
  /** Whether programs write as well. */
  withOthers: boolean
  onKill?: () => void
}

const words = ['North', 'East', 'South', 'West'].map((name) => `${name}: one, two, three.\n\n`).join('')

/** A document that many edit at the same time, until all have ended. */
export class EditedDocument {
  readonly letters = new Letters()
  readonly writers: OtherWriters
  private readonly server: KilledServer
  private readonly choices: Choices
  private readonly network: Network
  private readonly path: string
  private readonly file: string
  private readonly editors: PageEditor[]
  private readonly seen = new Set<string>()
  private isOver = false

  private constructor(
    server: KilledServer,
    choices: Choices,
    document: { id: string; name: string; signins: readonly Signin[] },
  ) {
    const { id, name, signins } = document
    this.server = server
    this.choices = choices
    this.path = `/v1/fs/projects/general/docs/${name}.md`
    this.file = join(server.home, 'projects/general/documents', `${name}.md`)
    this.network = { ...choices, server, isCalm: false }
    this.editors = signins.map((signin) => new PageEditor(this.network, id, signin))
    const { letters, path, file } = this
    const davPath = `/dav/projects/general/documents/${name}.md`
    this.writers = new OtherWriters({ ...choices, server, letters, path, davPath, file })
  }

  /** @param signins of the editors that have it open */
  static async create(
    server: KilledServer,
    choices: Choices,
    { name, signins }: { name: string; signins: readonly Signin[] },
  ): Promise<EditedDocument> {
    const path = `/v1/fs/projects/general/docs/${name}.md`
    const { json } = await server.send('PUT', path, { body: `# ${name}\n\n${words}` })
    return new EditedDocument(server, choices, { id: json.id, name, signins })
  }

  /** How many letters editors saw confirmed by a server that was killed later. */
  get acknowledged(): number {
    return this.seen.size
  }

  /** @returns a sentence for each difference from what was written */
  async differences({ kills, maxLifeMs, withOthers, onKill }: Writing): Promise<string[]> {
    const others = withOthers ? [this.write(), this.write()] : []
    const all = [...this.editors.map((editor) => this.edit(editor)), ...others]
    for (let kill = 0; kill <= kills; kill++) {
      await pause(maxLifeMs / 2 + this.choices.below(maxLifeMs / 2))
      if (kill < kills) {
        await this.kill(withOthers)
        onKill?.()
      }
    }
    this.isOver = true
    await Promise.all(all)
    const found = await this.settle()
    for (const editor of this.editors) editor.close()
    return found
  }

  private async kill(withOthers: boolean): Promise<void> {
    const { below, pick } = this.choices
    await this.server.restart(() => {
      for (const editor of this.editors) {
        for (const letter of this.letters.in(editor.confirmedText)) this.seen.add(letter)
      }
      if (withOthers && below(3) === 0) this.writers.saveWhileDown(pick(['rename', 'in place', 'append']))
    })
  }

  private async write(): Promise<void> {
    while (!this.isOver) {
      await this.writers.writeOnce()
      await pause(this.choices.below(150))
    }
  }

  private async edit(editor: PageEditor): Promise<void> {
    while (!this.isOver) {
      await pause(this.choices.below(60))
      if (editor.isShown) this.editOnce(editor)
    }
  }

  private editOnce(editor: PageEditor): void {
    const { below, pick } = this.choices
    const action = below(100)
    if (action < 80) editor.type(placeIn(editor.text, below), this.letters.next('an editor'))
    else if (action < 88) {
      const seen = this.letters.in(editor.text)
      if (seen.length === 0) return
      const letter = pick(seen)
      const at = editor.text.indexOf(letter)
      this.letters.erased(letter)
      editor.erase(at, at + letter.length)
    } else if (action < 93) editor.save()
    else if (action < 97) editor.disconnect()
    else editor.reload()
  }

  /** Waits until all writes have arrived everywhere, and compares. */
  private async settle(): Promise<string[]> {
    this.network.isCalm = true
    const [first] = this.editors
    try {
      await eventually(() => {
        for (const editor of this.editors) editor.hurry()
        return this.areSame && !this.isReplacedFileKept
      })
      first!.save()
      await eventually(async () => {
        const { text } = await this.server.send('GET', this.path)
        const isSaved = readFileSync(this.file, 'utf8') === first!.text && text.endsWith(first!.text)
        return isSaved && this.areSame && !this.isReplacedFileKept
      })
    } catch {
      return [...this.letters.differences(first!.text), ...this.statesInWords()]
    }
    return this.letters.differences(first!.text)
  }

  private get areSame(): boolean {
    const [first] = this.editors
    return this.editors.every((one) => one.isSettled && one.text === first!.text)
  }

  /** The server keeps a displaced file until it is known to hold no unseen edit. */
  private get isReplacedFileKept(): boolean {
    const kept = readdirSync(join(this.server.home, '.workroom', 'tmp'))
    return kept.some((name) => name.startsWith('displaced-'))
  }

  private statesInWords(): string[] {
    const states = this.editors.map(({ isSettled, refusal, text }, index) => {
      return `Editor ${index}, ${refusal ?? (isSettled ? 'settled' : 'not settled')}: ${JSON.stringify(text)}`
    })
    return [...states, `The file: ${JSON.stringify(readFileSync(this.file, 'utf8'))}`]
  }
}
