import { confirmed } from '../confirm.ts'
import type { Meeting } from './meeting.ts'
import { merge } from './merging.ts'
import { type Unsaved, UnsavedText } from './unsaved.ts'
import type { Work } from './work.ts'

/** By which the page that somebody comes back to after signing in knows that they were led away. */
const awayKey = 'workroom:away'
const afterMs = 400

/** Keeps what is not saved in this browser, offers it when the page is opened again, and asks before it is left. */
export class Keeping {
  private readonly work: Work
  private readonly meeting: Meeting
  private unsaved: UnsavedText
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(work: Work, meeting: Meeting) {
    this.work = work
    this.meeting = meeting
    this.unsaved = new UnsavedText(subjectOf(work))
    addEventListener('pagehide', () => this.keep())
    addEventListener('beforeunload', (event) => {
      this.keep()
      if (work.isDirty && !work.isLeaving) event.preventDefault()
    })
    addEventListener('sessionended', () => {
      this.keep()
      sessionStorage.setItem(awayKey, location.pathname)
      work.isLeaving = true
    })
    work.page.close.addEventListener('click', (event) => {
      if (!work.isDirty) return
      event.preventDefault()
      void this.drop()
    })
  }

  changed(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.keep(), afterMs)
  }

  /** All is saved, unless it was written on. */
  saved(): void {
    this.unsaved.forget()
    this.unsaved = new UnsavedText(subjectOf(this.work))
    this.keep()
  }

  /** What was left here without being saved can be had back. */
  offer(): void {
    const { work } = this
    const left = this.unsaved.left()
    const wasAway = sessionStorage.getItem(awayKey) === location.pathname
    sessionStorage.removeItem(awayKey)
    if (!left) return
    const isHere = left.text === work.written && left.title === (work.page.title?.value ?? '')
    if (isHere) this.unsaved.forget(left.key)
    else if (wasAway) void this.takeBack(left)
    else this.ask(left)
  }

  private ask(left: Unsaved): void {
    this.work.notices.show('unsaved', `What you wrote here until ${moment.format(left.at)} was not saved.`, [
      { words: 'Take it back', run: () => void this.takeBack(left) },
      { words: 'Drop it', run: () => this.unsaved.forget(left.key) },
    ])
  }

  private keep(): void {
    const { work, unsaved } = this
    clearTimeout(this.timer)
    if (work.isLeaving) return
    if (work.isDirty) {
      unsaved.keep({
        revision: work.base.name || null,
        title: work.page.title?.value ?? '',
        text: work.comparison?.shown.text() ?? work.written,
      })
    } else unsaved.forget()
  }

  /** What was written over an older revision is put together with what has happened since. */
  private async takeBack({ key, revision, title, text }: Unsaved): Promise<void> {
    const { work } = this
    const { base, file } = work
    if (work.page.title && title !== '') work.page.title.value = title
    if (revision === null || revision === base.name) work.change(text)
    else {
      const old = await file.read(revision).catch(() => null)
      const merged = old ? merge(old.text, text, base.text) : { text, conflicts: 1 }
      if (merged.conflicts === 0) work.change(merged.text)
      else
        await this.meeting.compare(base, () => merged.text, await file.lastEditor().catch(() => 'Somebody'))
    }
    this.keep()
    this.unsaved.forget(key)
    work.view.focus()
  }

  private async drop(): Promise<void> {
    const question = 'Close without saving? What you have written since it was saved is dropped.'
    if (!(await confirmed(question, 'Drop it'))) return
    this.unsaved.forget()
    this.work.leaveFor(this.work.file.facts.back)
  }
}

const subjectOf = ({ file: { facts } }: Work): string => facts.id ?? `new:${facts.project}:${facts.kind}`

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
