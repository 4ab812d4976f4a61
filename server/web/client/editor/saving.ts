import { ApiError, errorText } from '../api.ts'
import { refresh } from '../live.ts'
import type { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import type { Revision } from './file.ts'
import { merge } from './merge.ts'
import type { Choice } from './notices.ts'
import { confirmPublication, publishDraft } from './publication.ts'

/** After this many saves the author is still writing, and the page stays. */
const maxAttempts = 3

/** Saves what is written, and publishes it. Over a newer revision than the one that it was written on nothing is saved. */
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

  /** @returns whether what was written is saved; where not, it is said why */
  save(): Promise<boolean> {
    this.underway ??= this.saveNow().finally(() => {
      this.underway = null
    })
    return this.underway
  }

  /**
   * Saves until nothing is unsaved, including what is written during a save. The text stays editable, since a
   * response may take long or report a conflict; the page is left only once all is saved, including links to
   * running uploads.
   * @returns whether nothing is unsaved; otherwise the page says why
   */
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
      // What is published cannot be changed any more: what would be written from here on could go nowhere.
      work.page.lock(true)
      const url = isDirect ? await work.file.createPost(work.text) : await publishDraft(work)
      // What has just been published is nothing unsaved.
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

  /** What was sent has become a revision; what was written meanwhile is not saved yet. */
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
