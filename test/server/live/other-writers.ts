import {
  closeSync,
  constants as fsConstants,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { basicAuthorization } from '../../support/dav-client.ts'
import { saveByRename, saveInPlace } from '../../support/editors.ts'
import type { HttpResponse, RequestOptions } from '../../support/http-client.ts'
import type { Choices } from './choices.ts'
import type { KilledServer } from './killed-server.ts'
import type { Letters } from './letters.ts'

export interface WrittenFile extends Choices {
  server: Pick<KilledServer, 'key' | 'send' | 'whileStill'>
  letters: Letters
  /** Of the document, in the file tree and on the mount. */
  path: string
  davPath: string
  /** Absolute path of its file. */
  file: string
}

/** How long an editor that keeps the file open may take to write it. */
const maxHeldMs = 30

/** Programs that write the file that people edit, each based on the text that it has read. */
export class OtherWriters {
  /** How often each way of writing succeeded, and each error status was answered. */
  readonly counts = new Map<string, number>()

  constructor(private readonly file: WrittenFile) {}

  async writeOnce(): Promise<void> {
    const ways = ['PUT', 'PATCH', 'block', 'DAV', 'rename', 'in place', 'append', 'held open'] as const
    const way = this.file.pick(ways)
    const isDone = await this.by(way)
    if (isDone) this.count(way)
  }

  /** Saves the file as a person does. @returns whether there was a text to edit */
  async save(way: 'rename' | 'in place' | 'append' | 'held open'): Promise<boolean> {
    let isDone = false
    await this.file.server.whileStill(() => {
      const saved = this.saveNow(way)
      isDone = saved !== null
      return saved?.written
    })
    return isDone
  }

  /** Does the same as `save` while no server runs. */
  saveWhileDown(way: 'rename' | 'in place' | 'append'): void {
    if (this.saveNow(way) !== null) this.count(way)
  }

  private count(way: string): void {
    this.counts.set(way, (this.counts.get(way) ?? 0) + 1)
  }

  private by(way: 'PUT' | 'PATCH' | 'block' | 'DAV' | Parameters<OtherWriters['save']>[0]): Promise<boolean> {
    if (way === 'PUT') return this.put()
    if (way === 'DAV') return this.putOverDav()
    if (way === 'PATCH') return this.patch()
    if (way === 'block') return this.writeBlock()
    return this.save(way)
  }

  private saveNow(way: Parameters<OtherWriters['save']>[0]): { written?: Promise<void> } | null {
    const { file, letters } = this.file
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      // The server is about to replace it: an editor says that it is not there.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
    // What another editor has emptied, and is about to write.
    if (text === '') return null
    const letter = letters.next(way)
    if (way === 'rename') saveByRename(file, this.withLetter(text, letter))
    else if (way === 'in place') saveInPlace(file, this.withLetter(text, letter))
    else if (way === 'append') appendTo(file, `${letter}\n`)
    else return { written: this.holdOpen(this.withLetter(text, letter)) }
    return {}
  }

  private async holdOpen(text: string): Promise<void> {
    const held = openSync(this.file.file, 'r+')
    ftruncateSync(held, 0)
    await pause(this.file.below(maxHeldMs))
    writeSync(held, text, 0)
    closeSync(held)
  }

  private async put(): Promise<boolean> {
    const { path, letters } = this.file
    const read = await this.ask('GET', path)
    if (read === null) return false
    const letter = letters.next('PUT')
    const headers = { 'If-Match': read.headers.etag }
    return this.account(
      letter,
      await this.ask('PUT', path, { body: this.withLetter(read.text, letter), headers }),
    )
  }

  private async putOverDav(): Promise<boolean> {
    const { davPath, letters, server } = this.file
    const authorization = { Authorization: basicAuthorization(server.key) }
    const read = await this.ask('GET', davPath, { key: undefined, headers: authorization })
    if (read?.status !== 200) return false
    const letter = letters.next('DAV')
    const headers = { ...authorization, 'If-Match': read.headers.etag }
    const body = this.withLetter(read.text, letter)
    return this.account(letter, await this.ask('PUT', davPath, { key: undefined, body, headers }))
  }

  private async patch(): Promise<boolean> {
    const { path, letters, pick } = this.file
    const read = await this.ask('GET', path)
    const anchors = letters.in(read?.text ?? '')
    if (anchors.length === 0) return false
    const anchor = pick(anchors)
    const letter = letters.next('PATCH')
    const edits = [{ find: anchor, replace: anchor + letter }]
    return this.account(letter, await this.ask('PATCH', path, { body: { edits } }))
  }

  private async writeBlock(): Promise<boolean> {
    const { path, letters, pick } = this.file
    const read = await this.ask('GET', `${path}?view=blocks`)
    const blocks: { id: string; type: string; writable: boolean; text: string }[] = read?.json?.blocks ?? []
    const paragraphs = blocks.filter(({ type, writable }) => writable && type === 'paragraph')
    if (paragraphs.length === 0) return false
    const { id, text } = pick(paragraphs)
    const letter = letters.next('block')
    return this.account(letter, await this.ask('PUT', `${path}?block=${id}`, { body: `${text}${letter}` }))
  }

  /** @returns null where no answer came */
  private async ask(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<HttpResponse | null> {
    return this.file.server.send(method, path, options).catch(() => null)
  }

  private account(letter: string, response: HttpResponse | null): boolean {
    if (response && response.status >= 300) this.count(`${response.status}`)
    if (response === null || response.status >= 500) this.file.letters.unsure(letter, 'perhaps')
    else if (response.status >= 300) this.file.letters.unsure(letter, 'refused')
    return response !== null && response.status < 300
  }

  private withLetter(text: string, letter: string): string {
    const at = placeIn(text, this.file.below)
    return text.slice(0, at) + letter + text.slice(at)
  }
}

/** Below the title, which names the file. */
export function placeIn(text: string, below: (limit: number) => number): number {
  const start = text.indexOf('\n', text.indexOf('# ')) + 1
  return start + below(text.length - start + 1)
}

/** Appends as `>>` does in a shell, to a file that exists. */
function appendTo(path: string, text: string): void {
  const file = openSync(path, fsConstants.O_WRONLY | fsConstants.O_APPEND)
  writeSync(file, text)
  closeSync(file)
}
