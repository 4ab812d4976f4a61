import { openConfirmDialog } from '../dialogs.ts'
import { StoredEntries } from '../stored-entries.ts'
import type { ConflictResolver } from './conflicts.ts'
import type { EditSession } from './edit-session.ts'
import { merge } from './merge.ts'

/** Marks that an ended session led away from this page. */
const sessionEndedKey = 'workroom:away'
const debounceMs = 400

/** Stores unsaved text in this browser, offers it again, and asks before the page is left. */
export class LocalBackup {
  private readonly session: EditSession
  private readonly conflicts: ConflictResolver
  private unsaved: UnsavedTextStore
  private readonly listeners = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(session: EditSession, conflicts: ConflictResolver) {
    this.session = session
    this.conflicts = conflicts
    this.unsaved = new UnsavedTextStore(subjectOf(session))
    const { signal } = this.listeners
    addEventListener('pagehide', () => this.store(), { signal })
    addEventListener(
      'beforeunload',
      (event) => {
        this.store()
        if (this.isUnfinished && !session.isLeaving) event.preventDefault()
      },
      { signal },
    )
    addEventListener('sessionended', () => this.handleSessionEnd(), { signal })
    // The browser may show the page again from its cache.
    addEventListener('pageshow', ({ persisted }) => persisted && session.unlock(), { signal })
    const handleCloseClick = (event: Event) => {
      if (!this.isUnfinished) return
      event.preventDefault()
      void this.confirmDiscard()
    }
    session.page.closeLink.addEventListener('click', handleCloseClick, { signal })
  }

  end(): void {
    clearTimeout(this.timer)
    this.listeners.abort()
    this.unsaved.remove()
  }

  scheduleStore(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.store(), debounceMs)
  }

  handleSaved(): void {
    this.unsaved.remove()
    this.unsaved = new UnsavedTextStore(subjectOf(this.session))
    this.store()
  }

  offerStored(): void {
    const { session } = this
    const stored = this.unsaved.find()
    const wasSignedOut = sessionStorage.getItem(sessionEndedKey) === location.pathname
    sessionStorage.removeItem(sessionEndedKey)
    if (!stored) return
    const isUnchanged = stored.text === session.content && stored.title === (session.page.title?.value ?? '')
    if (isUnchanged) this.unsaved.remove(stored.key)
    else if (wasSignedOut) void this.restoreText(stored)
    else this.showRestoreNotice(stored)
  }

  private showRestoreNotice(stored: UnsavedText): void {
    this.session.notices.show(
      'unsaved',
      `You have unsaved changes from ${dateTimeFormat.format(stored.at)}.`,
      [
        { label: 'Restore', action: () => void this.restoreText(stored) },
        { label: 'Discard', action: () => this.unsaved.remove(stored.key) },
      ],
    )
  }

  private store(): void {
    const { session, unsaved } = this
    clearTimeout(this.timer)
    if (session.isLeaving) return
    if (session.isDirty) {
      unsaved.store({
        revision: session.base.name || null,
        title: session.page.title?.value ?? '',
        text: session.comparison?.panel.text() ?? session.content,
      })
    } else unsaved.remove()
  }

  /** Merges the stored text. Undo restores what it replaces, except a title, which is confirmed first. */
  private async restoreText(stored: UnsavedText): Promise<void> {
    const { session } = this
    const { file } = session
    const { key, revision, title, text } = stored
    if (!(await this.confirmTitle(title))) return this.showRestoreNotice(stored)
    const isOlder = revision !== null && revision !== session.base.name
    const storedBase = isOlder && file.exists ? await file.read(revision).catch(() => null) : null
    // The compared text would later replace the restored one.
    this.conflicts.endComparison()
    const { base } = session
    if (session.page.title && title !== '') session.page.title.value = title
    if (!isOlder) session.applyEdit(text)
    else {
      const merged = storedBase ? merge(storedBase.text, text, base.text) : { text, conflicts: 1 }
      session.applyEdit(merged.text)
      if (merged.conflicts > 0) {
        const name = await file.lastEditor().catch(() => 'Someone')
        const remote = storedBase ? merge(storedBase.text, base.text, text).text : base.text
        await this.conflicts.compare(base, () => ({ local: session.content, remote }), name, true)
      }
    }
    this.store()
    this.unsaved.remove(key)
    session.view.focus()
  }

  /** Returns whether the title may be replaced. */
  private async confirmTitle(title: string): Promise<boolean> {
    const current = this.session.page.title?.value.trim() ?? ''
    if (current === '' || title === '' || current === title.trim()) return true
    return openConfirmDialog(`Change the title back from “${current}” to “${title}”?`, 'Restore')
  }

  private handleSessionEnd(): void {
    this.store()
    sessionStorage.setItem(sessionEndedKey, location.pathname)
    this.session.lockForLeaving()
  }

  private get isUnfinished(): boolean {
    return this.session.isDirty || this.session.uploads.isBusy
  }

  private async confirmDiscard(): Promise<void> {
    const confirmation = this.session.isDirty
      ? openConfirmDialog('Close without saving? Your unsaved changes will be discarded.', 'Discard')
      : openConfirmDialog('Close before the upload finishes? The file will not be linked.', 'Close')
    if (!(await confirmation)) return
    this.unsaved.remove()
    this.session.navigateTo(this.session.file.details.back)
  }
}

const subjectOf = ({ file: { details } }: EditSession): string =>
  details.id ?? `new:${details.project}:${details.kind}`

const dateTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Unsaved text as stored in this browser. */
interface UnsavedText {
  key: string
  /** The revision on which it is based; null for a new file. */
  revision: string | null
  title: string
  text: string
  at: number
}

/** Stores unsaved text, in case of a crash or an ended session. Each page has its own entry. */
class UnsavedTextStore {
  private readonly entries: StoredEntries<UnsavedText>
  private readonly key = crypto.getRandomValues(new Uint32Array(2)).join('-')

  constructor(subject: string) {
    this.entries = new StoredEntries('workroom:unsaved', `${subject}:`, ({ at }) => at)
  }

  store(unsaved: Pick<UnsavedText, 'revision' | 'title' | 'text'>): void {
    this.entries.write({ ...unsaved, key: this.key, at: Date.now() })
  }

  remove(key = this.key): void {
    this.entries.remove(key)
  }

  /** Returns the newest entry of another page. */
  find(): UnsavedText | null {
    return this.entries.all().findLast(({ key }) => key !== this.key) ?? null
  }
}
