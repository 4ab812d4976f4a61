import { ApiError, errorText } from '../api.ts'
import { refresh } from '../live.ts'
import type { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import type { Revision } from './file.ts'
import { merge } from './merge.ts'
import type { Choice } from './notices.ts'
import { confirmPublication, publishDraft } from './publication.ts'

/** After this many saves the author is still typing, so the page stays. */
const maxAttempts = 3

/** Saves and publishes, but never over a newer revision than the text is based on. */
export class Saver {
  private readonly work: EditSession
  private readonly meeting: ConflictResolver
  private readonly saved: () => void
  private underway: Promise<boolean> | null = null

  /** @param saved called with each saved revision */
  constructor(work: EditSession, meeting: ConflictResolver, saved: () => void) {
    this.work = work
    this.meeting = meeting
    this.saved = saved
  }

  async idle(): Promise<void> {
    await this.underway
  }

  /** Returns whether the text is saved; otherwise the page says why. */
  save(): Promise<boolean> {
    this.underway ??= this.saveNow().finally(() => {
      this.underway = null
    })
    return this.underway
  }

  /** Repeats until nothing is unsaved, since the text stays editable. @returns false with a message */
  private async saveAll(finish: Choice): Promise<boolean> {
    const { work } = this
    if (!(await work.uploads.idle())) return false
    for (let time = 0; time < maxAttempts; time++) {
      if (!(await this.save())) return false
      if (!(await work.settleFields())) return false
      if (!work.isDirty) return true
    }
    const words = 'You kept editing, so the page stays open. Your last changes are not saved.'
    work.notices.show('saving', words, [finish])
    return false
  }

  async saveAndClose(): Promise<void> {
    const { work } = this
    const again = { words: 'Save and close', action: () => void this.saveAndClose() }
    if (await this.saveAll(again)) work.leaveFor(work.file.details.page!)
  }

  async publish(): Promise<void> {
    const { work } = this
    if (this.requireTitle()) return
    if (!(await confirmPublication(work))) return
    await this.underway
    try {
      const isDirect = work.file.details.kind === 'post' && !work.file.exists
      const again = { words: 'Publish', action: () => void this.publish() }
      if (!isDirect && !(await this.saveAll(again))) return
      // Published text cannot be changed, so further typing would be lost.
      work.page.lock(true)
      const url = isDirect ? await work.file.createPost(work.text) : await publishDraft(work)
      // Leaves first, so that the published text does not count as unsaved.
      work.leaveFor(url)
      this.saved()
    } catch (error) {
      if (!work.isLeaving) {
        work.page.lock(false)
        work.view.focus()
      }
      await this.failed(error)
    }
  }

  private async saveNow(): Promise<boolean> {
    const { work } = this
    const { page, file } = work
    if (this.requireChoices()) return false
    this.meeting.resolve()
    await work.settleFields()
    const { base, isNew } = work
    const sent = work.text
    if (!isNew && sent === base.text) {
      page.setStatus('Saved')
      return true
    }
    work.notices.clear('saving')
    if (this.requireTitle()) return false
    page.setStatus('Saving…')
    const before = file.details.path
    try {
      const revision = isNew ? await file.create(sent, page.place) : await file.write(sent, base)
      this.saveLocally(revision, sent)
      if (isNew) page.removeCreationFields()
      if (file.details.path !== before) {
        work.updateAddress()
        void refresh()
      }
      return true
    } catch (error) {
      page.setStatus('Unsaved changes')
      return this.failed(error)
    }
  }

  private requireChoices(): boolean {
    const count = this.work.comparison?.shown.unresolved() ?? 0
    if (count === 0) return false
    const words = `Choose your version or theirs first: ${count === 1 ? '1 conflict is' : `${count} conflicts are`} left.`
    const again = { words: 'Save merged', action: () => void this.save() }
    this.work.notices.show('saving', words, [again], 'problem')
    return true
  }

  private requireTitle(): boolean {
    const { isNew, text, notices, page } = this.work
    if (!isNew || /^(?:#|title:) /m.test(text)) return false
    notices.show('saving', 'Add a title first.', [], 'problem')
    page.title?.focus()
    return true
  }

  /** Adopts the saved revision. Edits made during the save stay unsaved. */
  private saveLocally(revision: Revision, sent: string): void {
    const { work } = this
    const now = work.text
    work.base = revision
    work.replaceText(merge(sent, now, revision.text).text)
    work.notices.clear('change')
    this.saved()
    work.page.setStatus(work.isDirty ? 'Unsaved changes' : `Saved at ${timeOfDay.format(new Date())}`)
  }

  private async failed(error: unknown): Promise<false> {
    const { notices } = this.work
    if (error instanceof ApiError && error.status === 409 && 'currentRevision' in error.answer) {
      await this.meeting.reconcile()
      return false
    }
    const isAway = !(error instanceof ApiError)
    notices.show(
      'saving',
      isAway ? `${errorText(error)} Your changes are kept in this browser.` : errorText(error),
      isAway ? [{ words: 'Try again', action: () => void this.save() }] : [],
      'problem',
    )
    return false
  }
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
