import { errorText } from '../api.ts'
import { type LiveEvent, refresh } from '../live.ts'
import { type EditSession, emptyRevision } from './edit-session.ts'
import type { Revision } from './file.ts'
import { merge } from './merge.ts'
import { someoneOnDisk } from './writer-names.ts'

/** Merges others' saved changes with unsaved ones, losing neither. */
export class ConflictResolver {
  private readonly work: EditSession
  private readonly save: () => void
  private readonly idle: () => Promise<void>

  /** @param saving `idle` resolves once no save is running */
  constructor(work: EditSession, saving: { save(): void; idle(): Promise<void> }) {
    this.work = work
    this.save = saving.save
    this.idle = saving.idle
  }

  /** Events also report this page's own changes. */
  async handleEvent({ type, author, authorId, path, url, via }: LiveEvent): Promise<void> {
    const { work } = this
    const isOwn = authorId === document.body.dataset.member
    const who = via === 'disk' ? someoneOnDisk : isOwn ? 'You' : String(author ?? 'Someone')
    await this.idle()
    if (type === 'doc.delete') return this.handleDeletion(who)
    if (typeof path !== 'string' || typeof url !== 'string') return
    if (work.noun === 'draft' && path.includes('/posts/')) return this.handlePublication(path, url)
    const isElsewhere = path !== work.file.details.path
    work.file.moveTo({ path, url })
    if (isElsewhere) {
      work.updateAddress()
      void refresh()
    }
    const theirs = await this.fetchNewest().catch(() => null)
    if (!theirs || theirs.name === work.base.name || theirs.name === work.comparison?.theirs.name) return
    if (work.isDirty) {
      work.notices.show('change', `${who} changed this ${work.noun} while you were editing.`, [
        { words: 'Merge now', action: () => void this.mergeNow() },
        { words: 'Keep editing', action: () => {} },
      ])
      return
    }
    work.base = theirs
    work.replaceText(theirs.text)
    work.page.setStatus(`${who} changed this ${work.noun} just now`)
  }

  /** Reads the newest revision. One read during a save may already be outdated. */
  private async fetchNewest(): Promise<Revision | null> {
    for (;;) {
      const { base } = this.work
      const theirs = await this.work.file.read()
      await this.idle()
      if (this.work.base === base) return theirs
    }
  }

  async reconcile(): Promise<void> {
    const { work } = this
    try {
      const theirs = await work.file.read()
      if (!theirs) return this.handleDeletion('Someone')
      const name = await work.file.lastEditor()
      const { text, conflicts } = merge(work.base.text, work.written, theirs.text)
      if (conflicts > 0) {
        // Each side has both members' other changes, so that only the conflicts differ.
        const texts = () => ({
          mine: merge(work.base.text, work.written, theirs.text).text,
          theirs: merge(work.base.text, theirs.text, work.written).text,
        })
        return await this.compare(theirs, texts, name, true)
      }
      work.base = theirs
      work.replaceText(text)
      work.notices.show(
        'change',
        `${name} changed this ${work.noun} while you were editing. Your changes and theirs were merged. Review the text and save it.`,
        [
          { words: 'Save merged', action: this.save },
          {
            words: 'Show the differences',
            action: () =>
              void this.compare(theirs, () => ({ mine: work.written, theirs: theirs.text }), name, false),
          },
        ],
      )
    } catch (error) {
      work.notices.show('saving', errorText(error), [], 'problem')
    }
  }

  /** @param texts called once both can be shown @param isConflict whether differences need a choice */
  async compare(
    theirs: Revision,
    texts: () => { mine: string; theirs: string },
    name: string,
    isConflict: boolean,
  ): Promise<void> {
    const { page, file, notices } = this.work
    const { openComparison: compare } = await import('./comparison.ts')
    // Only one comparison at a time.
    this.endComparison()
    const place = document.createElement('div')
    place.className = 'editor-compare'
    page.panes.hidden = true
    page.panes.after(place)
    const shown = compare(place, { ...texts(), name, nonce: file.details.nonce, isConflict })
    const close = () => {
      shown.close()
      place.remove()
      page.panes.hidden = false
    }
    this.work.comparison = { theirs, shown: { ...shown, close } }
    notices.show(
      'change',
      isConflict
        ? `${name} changed the same lines. Choose a version of each, or edit the text. Their other changes are already merged.`
        : `${name}’s version and yours. Edit your version and save it.`,
      [
        { words: 'Save merged', action: this.save },
        { words: 'Back to editing', action: () => this.endComparison() },
      ],
    )
  }

  /** After both versions were seen, saving replaces the other one. */
  resolve(): void {
    const theirs = this.endComparison()
    if (theirs) this.work.base = theirs
  }

  handleDeletion(who: string): void {
    const { work } = this
    if (work.isLeaving) return
    work.notices.show(
      'gone',
      `${who} deleted this ${work.noun}. Your text is kept in the editor.`,
      [{ words: 'Save as new', action: () => this.saveAsNew() }],
      'problem',
    )
  }

  private handlePublication(path: string, url: string): void {
    const { work } = this
    if (work.isLeaving) return
    work.file.moveTo({ path, url })
    const { page } = work.file.details
    work.notices.show(
      'gone',
      'This draft has been published and can no longer be changed.',
      [
        { words: 'Read the post', action: () => location.assign(page!) },
        { words: 'Save as a new draft', action: () => this.saveAsNew() },
      ],
      'problem',
    )
  }

  private saveAsNew(): void {
    this.endComparison()
    this.work.file.forget()
    this.work.base = emptyRevision
    this.save()
  }

  private mergeNow(): Promise<void> {
    this.endComparison()
    return this.reconcile()
  }

  /** Continues with the compared text. @returns the revision it was compared with */
  endComparison(): Revision | null {
    const { work } = this
    if (!work.comparison) return null
    const { shown, theirs } = work.comparison
    const text = shown.text()
    work.comparison = null
    shown.close()
    work.replaceText(text)
    work.notices.clear('change')
    work.view.focus()
    return theirs
  }
}
