import { confirmThen } from '../confirm.ts'
import type { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import { merge } from './merge.ts'
import { type Unsaved, UnsavedTextStore } from './unsaved.ts'

/** Marks that an ended session led away from this page. */
const awayKey = 'workroom:away'
const afterMs = 400

/** Stores unsaved text in this browser, offers it again, and asks before the page is left. */
export class LocalBackup {
  private readonly work: EditSession
  private readonly meeting: ConflictResolver
  private unsaved: UnsavedTextStore
  private readonly listening = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(work: EditSession, meeting: ConflictResolver) {
    this.work = work
    this.meeting = meeting
    this.unsaved = new UnsavedTextStore(subjectOf(work))
    const { signal } = this.listening
    addEventListener('pagehide', () => this.store(), { signal })
    addEventListener(
      'beforeunload',
      (event) => {
        this.store()
        if (this.isUnfinished && !work.isLeaving) event.preventDefault()
      },
      { signal },
    )
    addEventListener('sessionended', () => this.sessionEnded(), { signal })
    // The browser may show the page again from its cache.
    addEventListener('pageshow', ({ persisted }) => persisted && work.unlock(), { signal })
    const leave = (event: Event) => {
      if (!this.isUnfinished) return
      event.preventDefault()
      void this.drop()
    }
    work.page.close.addEventListener('click', leave, { signal })
  }

  end(): void {
    clearTimeout(this.timer)
    this.listening.abort()
    this.unsaved.remove()
  }

  changed(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.store(), afterMs)
  }

  saved(): void {
    this.unsaved.remove()
    this.unsaved = new UnsavedTextStore(subjectOf(this.work))
    this.store()
  }

  offer(): void {
    const { work } = this
    const left = this.unsaved.find()
    const wasAway = sessionStorage.getItem(awayKey) === location.pathname
    sessionStorage.removeItem(awayKey)
    if (!left) return
    const isHere = left.text === work.written && left.title === (work.page.title?.value ?? '')
    if (isHere) this.unsaved.remove(left.key)
    else if (wasAway) void this.restoreText(left)
    else this.confirmLeaving(left)
  }

  private confirmLeaving(left: Unsaved): void {
    this.work.notices.show('unsaved', `You have unsaved changes from ${moment.format(left.at)}.`, [
      { words: 'Restore', action: () => void this.restoreText(left) },
      { words: 'Discard', action: () => this.unsaved.remove(left.key) },
    ])
  }

  private store(): void {
    const { work, unsaved } = this
    clearTimeout(this.timer)
    if (work.isLeaving) return
    if (work.isDirty) {
      unsaved.store({
        revision: work.base.name || null,
        title: work.page.title?.value ?? '',
        text: work.comparison?.shown.text() ?? work.written,
      })
    } else unsaved.remove()
  }

  /** Merges the stored text. Undo restores what it replaces, except a title, which is confirmed first. */
  private async restoreText(left: Unsaved): Promise<void> {
    const { work } = this
    const { file } = work
    const { key, revision, title, text } = left
    if (!(await this.offerTitle(title))) return this.confirmLeaving(left)
    const isOlder = revision !== null && revision !== work.base.name
    const old = isOlder && file.exists ? await file.read(revision).catch(() => null) : null
    // Its text would later replace the restored one.
    this.meeting.endComparison()
    const { base } = work
    if (work.page.title && title !== '') work.page.title.value = title
    if (!isOlder) work.applyEdit(text)
    else {
      const merged = old ? merge(old.text, text, base.text) : { text, conflicts: 1 }
      work.applyEdit(merged.text)
      if (merged.conflicts > 0) {
        const name = await file.lastEditor().catch(() => 'Someone')
        const theirs = old ? merge(old.text, base.text, text).text : base.text
        await this.meeting.compare(base, () => ({ mine: work.written, theirs }), name, true)
      }
    }
    this.store()
    this.unsaved.remove(key)
    work.view.focus()
  }

  /** Returns whether the title may be replaced. */
  private async offerTitle(title: string): Promise<boolean> {
    const now = this.work.page.title?.value.trim() ?? ''
    if (now === '' || title === '' || now === title.trim()) return true
    return confirmThen(`Change the title back from “${now}” to “${title}”?`, 'Restore')
  }

  private sessionEnded(): void {
    this.store()
    sessionStorage.setItem(awayKey, location.pathname)
    this.work.lockForLeaving()
  }

  private get isUnfinished(): boolean {
    return this.work.isDirty || this.work.uploads.isBusy
  }

  private async drop(): Promise<void> {
    const isSure = this.work.isDirty
      ? confirmThen('Close without saving? Your unsaved changes will be discarded.', 'Discard')
      : confirmThen('Close before the upload finishes? The file will not be linked.', 'Close')
    if (!(await isSure)) return
    this.unsaved.remove()
    this.work.leaveFor(this.work.file.details.back)
  }
}

const subjectOf = ({ file: { details } }: EditSession): string =>
  details.id ?? `new:${details.project}:${details.kind}`

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
