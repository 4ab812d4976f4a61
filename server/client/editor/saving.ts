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
  private pendingSave: Promise<boolean> | null = null

  /** @param onSaved called with each saved revision */
  constructor(
    private readonly session: EditSession,
    private readonly conflicts: ConflictResolver,
    private readonly onSaved: () => void,
  ) {}

  async whenIdle(): Promise<void> {
    await this.pendingSave
  }

  /** Returns whether the text is saved; otherwise the page says why. */
  save(): Promise<boolean> {
    this.pendingSave ??= this.saveNow().finally(() => {
      this.pendingSave = null
    })
    return this.pendingSave
  }

  /** Repeats until nothing is unsaved, since the text stays editable. @returns false with a message */
  private async saveAll(finish: Choice): Promise<boolean> {
    const { session } = this
    if (!(await session.uploads.whenIdle())) return false
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (!(await this.save())) return false
      if (!(await session.flushFields())) return false
      if (!session.isDirty) return true
    }
    const message = 'You kept editing, so the page stays open. Your last changes are not saved.'
    session.notices.show('saving', message, [finish])
    return false
  }

  async saveAndClose(): Promise<void> {
    const { session } = this
    const retry = { label: 'Save and close', action: () => void this.saveAndClose() }
    if (await this.saveAll(retry)) session.navigateTo(session.file.details.page!)
  }

  async publish(): Promise<void> {
    const { session } = this
    if (this.refuseUntitled()) return
    if (!(await confirmPublication(session))) return
    await this.pendingSave
    try {
      const isDirect = session.file.details.kind === 'post' && !session.file.exists
      const retry = { label: 'Publish', action: () => void this.publish() }
      if (!isDirect && !(await this.saveAll(retry))) return
      // Published text cannot be changed, so further typing would be lost.
      session.page.lock(true)
      const url = isDirect ? await session.file.createPost(session.text) : await publishDraft(session)
      // Leaves first, so that the published text does not count as unsaved.
      session.navigateTo(url)
      this.onSaved()
    } catch (error) {
      if (!session.isLeaving) {
        session.page.lock(false)
        session.view.focus()
      }
      await this.handleError(error)
    }
  }

  private async saveNow(): Promise<boolean> {
    const { session } = this
    const { page, file } = session
    if (this.refuseUnresolved()) return false
    this.conflicts.resolve()
    await session.flushFields()
    const { base, isNew } = session
    const sentText = session.text
    if (!isNew && sentText === base.text) {
      page.setStatus('Saved')
      return true
    }
    session.notices.clear('saving')
    if (this.refuseUntitled()) return false
    page.setStatus('Saving…')
    const pathBefore = file.details.path
    try {
      const revision = isNew
        ? await file.create(sentText, page.destination)
        : await file.write(sentText, base)
      this.adoptSaved(revision, sentText)
      if (isNew) page.removeCreationFields()
      if (file.details.path !== pathBefore) {
        session.updateAddress()
        void refresh()
      }
      return true
    } catch (error) {
      page.setStatus('Unsaved changes')
      return this.handleError(error)
    }
  }

  private refuseUnresolved(): boolean {
    const count = this.session.comparison?.panel.unresolved() ?? 0
    if (count === 0) return false
    const message = `Choose your version or theirs first: ${count === 1 ? '1 conflict is' : `${count} conflicts are`} left.`
    const retry = { label: 'Save merged', action: () => void this.save() }
    this.session.notices.show('saving', message, [retry], 'problem')
    return true
  }

  private refuseUntitled(): boolean {
    const { isNew, text, notices, page } = this.session
    if (!isNew || /^(?:#|title:) /m.test(text)) return false
    notices.show('saving', 'Add a title first.', [], 'problem')
    page.title?.focus()
    return true
  }

  /** Adopts the saved revision. Edits made during the save stay unsaved. */
  private adoptSaved(revision: Revision, sentText: string): void {
    const { session } = this
    const current = session.text
    session.base = revision
    session.replaceText(merge(sentText, current, revision.text).text)
    session.notices.clear('change')
    this.onSaved()
    session.page.setStatus(session.isDirty ? 'Unsaved changes' : `Saved at ${timeOfDay.format(new Date())}`)
  }

  private async handleError(error: unknown): Promise<false> {
    const { notices } = this.session
    if (error instanceof ApiError && error.status === 409 && 'currentRevision' in error.fields) {
      await this.conflicts.reconcile()
      return false
    }
    const isUnreachable = !(error instanceof ApiError)
    notices.show(
      'saving',
      isUnreachable ? `${errorText(error)} Your changes are kept in this browser.` : errorText(error),
      isUnreachable ? [{ label: 'Try again', action: () => void this.save() }] : [],
      'problem',
    )
    return false
  }
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
