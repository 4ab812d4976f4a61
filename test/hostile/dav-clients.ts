import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpResponse } from '../support/http-client.ts'
import type { CampaignRun } from './campaign.ts'
import type { DavLedger } from './dav-ledger.ts'
import type { DavServer } from './dav-server.ts'

/** One action of a client. @throws the system's error if the connection breaks off */
export type Action = () => Promise<void>

/** The statuses of refusals that other clients can cause. */
const expected = new Set([404, 405, 409, 412, 503])

const folders = ['one', 'two', 'Two', 'three/deep']
const names = ['plan.md', 'Plan.md', 'notes.md', '.env', 'sheet.csv', 'draft.tmp', 'ünder.md']

/** Marks a save on the disk, which is not overwritten on the disk before the server has ingested it. */
const handMark = 'by hand'

/** Clients of the mount, of the HTTP interface and of the disk that work on one tree. */
export class DavClients {
  private count = 0

  constructor(
    private readonly run: CampaignRun,
    private readonly server: DavServer,
    private readonly ledger: DavLedger,
  ) {}

  actions(): Action[] {
    return [
      () => this.put(),
      () => this.put(),
      () => this.putOverHttp(),
      () => this.saveByHand(),
      () => this.run.pick([() => this.moveFile(), () => this.copy(), () => this.remove()])(),
      () => this.run.pick([() => this.moveFolder(), () => this.moveByHand(), () => this.moveFile()])(),
    ]
  }

  private path(): string {
    return `${this.folder()}/${this.run.pick(names)}`
  }

  private folder(): string {
    return `general/${this.run.pick(['documents', 'documents', 'files'])}/${this.run.pick(folders)}`
  }

  private text(what: string): string {
    return `# ${what} ${++this.count}\n\nSaid once, by ${this.run.seed}.\n`
  }

  /** Counts a response and reports an unexpected one. @returns whether the request succeeded */
  private recordResponse({ status, text, json }: HttpResponse, what: string): boolean {
    this.run.tried()
    if (status < 300 && status !== 207) return true
    if (status === 500) this.run.failed(`${what}: ${this.server.logOf(json.requestId)}`)
    else if (!expected.has(status) && status !== 207) this.run.failed(`${what}: ${status} ${text}`)
    return false
  }

  private async put(): Promise<void> {
    const path = this.path()
    const text = this.text('over the mount')
    const response = await this.server.dav('PUT', path, { body: text })
    if (response.status === 409) await this.makeFolders(dirname(path))
    if (this.recordResponse(response, `PUT ${path}`)) this.ledger.acknowledged(text, `PUT /dav ${path}`)
  }

  private async makeFolders(folder: string): Promise<void> {
    const [project, topFolder, ...rest] = folder.split('/')
    for (let depth = 1; depth <= rest.length; depth++) {
      await this.server.dav('MKCOL', [project, topFolder, ...rest.slice(0, depth)].join('/'))
    }
  }

  private async putOverHttp(): Promise<void> {
    const folder = this.run.pick(folders)
    const name = this.run.pick(['plan', 'notes', 'over-http'])
    const text = this.text(name)
    const path = `/v1/fs/projects/general/docs/${folder}/${name}.md`
    const response = await this.server.send('PUT', path, { body: text })
    if (this.recordResponse(response, `PUT ${path}`)) this.ledger.acknowledged(text, `PUT ${path}`)
  }

  private async moveFile(): Promise<void> {
    const [from, to] = [this.path(), this.path()]
    if (from !== to) this.recordResponse(await this.server.transfer('MOVE', from, to), `MOVE ${from} ${to}`)
  }

  private async moveFolder(): Promise<void> {
    const topFolder = this.run.pick(['documents', 'files'])
    const [from, to] = [this.run.pick(folders), this.run.pick(folders)].map(
      (name) => `general/${topFolder}/${name}`,
    )
    if (from === to) return
    const responses = await Promise.all([1, 2].map(() => this.server.transfer('MOVE', from!, to!)))
    for (const response of responses) this.recordResponse(response, `MOVE ${from} ${to}`)
  }

  private async copy(): Promise<void> {
    const [from, to] = [this.path(), this.path()]
    if (from !== to) this.recordResponse(await this.server.transfer('COPY', from, to), `COPY ${from} ${to}`)
  }

  private async remove(): Promise<void> {
    const path = this.run.pick([this.path(), this.path(), this.folder()])
    this.recordResponse(await this.server.dav('DELETE', path), `DELETE ${path}`)
  }

  /** Saves as an editor does, but never over a save not ingested yet: its loss would be no bug. */
  private async saveByHand(): Promise<void> {
    await pause(20)
    const text = this.text(handMark)
    const existing = this.writtenDocuments()
    const isNew = existing.length === 0 || this.run.below(2) === 0
    const name = isNew ? `hand-${this.count}.md` : this.run.pick(existing)
    const path = isNew ? join(this.server.onDisk('general/documents/hand'), name) : name
    const temporary = `${path}.${this.count}.tmp`
    try {
      mkdirSync(dirname(path), { recursive: isNew })
      if (!isNew && readFileSync(path, 'utf8').startsWith(`# ${handMark}`)) return
      writeFileSync(temporary, text)
      renameSync(temporary, path)
    } catch (error) {
      if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
      return
    }
    this.run.tried()
    this.ledger.acknowledged(text, `a save by hand of ${path}`)
  }

  private async moveByHand(): Promise<void> {
    await pause(20)
    const [from, to] = ['hand', 'by-hand'].map((name) => this.server.onDisk(`general/documents/${name}`))
    try {
      renameSync(from!, `${to}-${++this.count}`)
      this.run.tried()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  /** The files of documents that clients of the server have written. */
  private writtenDocuments(): string[] {
    const folder = this.server.onDisk(`general/documents/${this.run.pick(['one', 'two'])}`)
    try {
      return readdirSync(folder).flatMap((name) => (/^\w.*\.md$/.test(name) ? join(folder, name) : []))
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }
}
