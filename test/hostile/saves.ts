import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { defaultConfig } from '../../core/config.ts'
import { revisionOf } from '../../core/revisions/revision.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { startServer } from '../../server/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { saveByRename, saveInPlace, saveKeepingTime, saveLikeGit, saveLikeVim } from '../support/editors.ts'
import { request } from '../support/http-client.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import { InterleavingDisk } from './interleaving-disk.ts'
import { SavingThread } from './saving-thread.ts'

const docs = '/v1/fs/projects/general/docs'

/** The number of documents written and saved at once. */
const concurrentSheets = 256
/** Then a new document begins, because the old one's list of revisions is long. */
const maxTries = 40
/** The number of system calls that place a file, and a few more. */
const steps = 11
/** One try in this many uses the thread. */
const threadShare = 4
/** How long a save may take to become a revision on a busy machine. */
const timeoutMs = 60_000

const pollMs = 100

/** Saves of editors that take one step each. */
const editors = [saveByRename, saveInPlace, saveLikeVim, saveLikeGit, saveKeepingTime]

interface Sheet {
  id: string
  title: string
  path: string
  tries: number
  /** The revisions of saves that were the current file when last checked. */
  unrecorded: string[]
}

/** The revisions in the database, read by a connection of its own. */
class Revisions {
  private readonly db: Sqlite.Database
  private readonly find: Sqlite.Statement<[string, string], number>

  constructor(home: string) {
    this.db = new Sqlite(join(home, '.workroom/workroom.db'), { readonly: true })
    this.find = this.db
      .prepare<[string, string], number>('SELECT 1 FROM revisions WHERE document_id = ? AND revision = ?')
      .pluck()
  }

  has(documentId: string, revision: string): boolean {
    return this.find.get(documentId, revision) === 1
  }

  close(): void {
    this.db.close()
  }
}

/** Writes documents over HTTP and saves their files while they are being placed. */
class SaveRaces {
  private readonly run: CampaignRun
  private readonly put: (path: string, body: string) => Promise<{ status: number; id: string; text: string }>
  private readonly home: string
  private readonly disk: InterleavingDisk
  private readonly thread: SavingThread
  private readonly revisions: Revisions
  private count = 0
  private isThreadBusy = false
  /** The number of saves while a file was being placed, and below, of those that became revisions at once. */
  whilePlacing = 0
  displaced = 0

  constructor(
    run: CampaignRun,
    deps: {
      put: SaveRaces['put']
      home: string
      disk: InterleavingDisk
      thread: SavingThread
      revisions: Revisions
    },
  ) {
    this.run = run
    this.put = deps.put
    this.home = deps.home
    this.disk = deps.disk
    this.thread = deps.thread
    this.revisions = deps.revisions
  }

  async work(name: string): Promise<void> {
    for (let round = 0; !this.run.isOver(); round++) {
      const sheet = await this.newSheet(`${name}-${round}`)
      while (sheet.tries++ < maxTries && !this.run.isOver()) await this.tryOnce(sheet)
      await this.finish(sheet)
    }
  }

  private async newSheet(name: string): Promise<Sheet> {
    const { id } = await this.put(`${docs}/${name}.md`, textOf(name, 'Put here', 0))
    const path = join(this.home, 'projects/general/documents', `${name}.md`)
    return { id, title: name, path, tries: 0, unrecorded: [] }
  }

  private async tryOnce(sheet: Sheet): Promise<void> {
    const number = ++this.count
    const ours = textOf(sheet.title, 'Put here', number)
    const saved = textOf(sheet.title, 'By hand.', number)
    const usesThread = !this.isThreadBusy && this.run.below(threadShare) === 0
    const save = usesThread ? this.planThreadSave(sheet, saved) : this.planSave(sheet, saved)
    const response = await this.put(`${docs}/${sheet.id}`, ours)
    const how = await save()
    this.run.tried()
    if (response.status !== 201) {
      this.run.failed(`A write was answered ${response.status} beside ${how ?? 'no save'}: ${response.text}`)
      return
    }
    if (how === null) return
    await this.waitForRevision(sheet, revisionOf(Buffer.from(ours)), 'the answered write', how)
    await this.waitForRevision(sheet, revisionOf(Buffer.from(saved)), 'the save', how)
  }

  /** Prepares a save. @returns to be called after the response: how it was saved, or null if it was not */
  private planSave(sheet: Sheet, text: string): () => Promise<string | null> {
    const step = this.run.below(steps)
    const isHeld = this.run.below(3) === 0
    const editor = this.run.pick(editors)
    let how: string | null = null
    const done = (name: string) => {
      how = `${name} before call ${step} of the placing`
      this.whilePlacing += 1
    }
    const attempt = (work: () => void) => {
      try {
        work()
      } catch (error) {
        // An editor that finds no file at that moment reports it and saves nothing.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    if (!isHeld) {
      const save = () => {
        editor(sheet.path, text)
        done(editor.name)
      }
      this.disk.aim(sheet.path, [{ step, act: () => attempt(save) }])
    } else {
      this.planHeldFile(sheet, text, { step, attempt, done: () => done('a file held open') })
    }
    return async () => {
      this.disk.clear(sheet.path)
      return how
    }
  }

  /** Opens the file, truncates it and writes it, with system calls of the write in between. */
  private planHeldFile(
    { path }: Sheet,
    text: string,
    { step, attempt, done }: { step: number; attempt: (work: () => void) => void; done: () => void },
  ): void {
    let held: number | null = null
    const opened = this.run.below(step + 1)
    const written = step + this.run.below(3)
    const whenOpen = (work: (file: number) => void) => () => {
      if (held !== null) work(held)
    }
    const open = () => {
      held = openSync(path, 'r+')
    }
    this.disk.aim(path, [
      { step: opened, act: () => attempt(open) },
      { step, act: whenOpen((file) => ftruncateSync(file, 0)) },
      {
        step: written,
        act: whenOpen((file) => {
          writeSync(file, text, 0)
          closeSync(file)
          held = null
          done()
        }),
      },
    ])
  }

  private planThreadSave(sheet: Sheet, text: string): () => Promise<string | null> {
    this.isThreadBusy = true
    const method = this.run.pick(['rename', 'in place', 'held open'] as const)
    const spin = this.run.below(400)
    const temporary = join(this.home, 'saving')
    this.thread.prepare({ path: sheet.path, temporary, text, method, spin })
    this.disk.aim(sheet.path, [{ step: 0, act: () => this.thread.fire() }])
    return async () => {
      this.disk.clear(sheet.path)
      const isSaved = await this.thread.finish()
      this.isThreadBusy = false
      if (isSaved) this.whilePlacing += 1
      return isSaved ? `a thread, ${method}, ${spin} turns after the placing began` : null
    }
  }

  /** Waits until a revision is the current file or in the document's history. */
  private async waitForRevision(sheet: Sheet, revision: string, what: string, how: string): Promise<void> {
    const endMs = performance.now() + timeoutMs
    while (!this.revisions.has(sheet.id, revision)) {
      if (currentOf(sheet.path) === revision) {
        sheet.unrecorded.push(revision)
        return
      }
      if (performance.now() > endMs) {
        this.run.failed(`${what} ${revision} in ${sheet.title} is lost: ${how}`)
        return
      }
      await pause(pollMs)
    }
    if (what === 'the save') this.displaced += 1
    const earlierSaves = sheet.unrecorded
    sheet.unrecorded = []
    for (const earlier of earlierSaves) {
      if (earlier !== revision) await this.waitForRevision(sheet, earlier, 'an earlier save', how)
    }
  }

  /** Checks that the saves that are still the current file become revisions, too. */
  private async finish(sheet: Sheet): Promise<void> {
    await this.put(`${docs}/${sheet.id}`, `# ${sheet.title}\n\nThe end.\n`)
    for (const revision of sheet.unrecorded.splice(0)) {
      await this.waitForRevision(sheet, revision, 'an earlier save', 'at the end')
    }
  }
}

/** All texts have one length, so that a save can have the size of the replaced file. */
const textOf = (title: string, what: 'Put here' | 'By hand.', number: number) =>
  `# ${title}\n\n${what} ${String(number).padStart(8, '0')}.\n`

/** The revision of the current file; null if there is none. */
function currentOf(path: string): string | null {
  try {
    return revisionOf(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export const saves: Campaign = {
  name: 'saves',
  about: 'editors save at every step of a write to the same file: each save is the file or a revision',
  minutes: 5,
  async attack(run) {
    const home = join(run.folder, 'home')
    const { key } = await createWorkspace({ home, name: 'Saves', owner: 'Ada' })
    const disk = new InterleavingDisk()
    const log = capturedLog()
    const config = { ...defaultConfig, log: { level: 'error' as const } }
    const server = await startServer({ home, config, port: 0, log, faults: { tree: { fs: disk.fs } } })
    const agent = new Agent({ keepAlive: true })
    const thread = new SavingThread()
    const revisions = new Revisions(home)
    const put = async (path: string, body: string) => {
      const { status, text, json } = await request(server.url, 'PUT', path, { key, body, agent })
      return { status, text, id: json?.id as string }
    }
    try {
      const tries = new SaveRaces(run, { put, home, disk, thread, revisions })
      await Promise.all(Array.from({ length: concurrentSheets }, (_, n) => tries.work(`sheet-${n}`)))
      run.figure('saves while a file was being placed', String(tries.whilePlacing))
      run.figure('of these kept as revisions at once', String(tries.displaced))
      for (const { message } of log.lines.filter(({ level }) => level === 'error')) {
        run.failed(`The log says: ${message}`)
      }
    } finally {
      await thread.close()
      revisions.close()
      agent.destroy()
      await server.close()
    }
  },
}
