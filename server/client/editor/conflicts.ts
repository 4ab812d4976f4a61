import { errorText } from '../api.ts'
import { type LiveEvent, refresh } from '../live.ts'
import { type EditSession, emptyRevision } from './edit-session.ts'
import type { Revision } from './file.ts'
import { merge } from './merge.ts'
import { someoneOnDisk } from './writer-names.ts'

/** Merges others' saved changes with unsaved ones, losing neither. */
export class ConflictResolver {
  private readonly session: EditSession
  private readonly save: () => void
  private readonly whenIdle: () => Promise<void>

  /** @param saver `whenIdle` resolves once no save is running */
  constructor(session: EditSession, saver: { save(): void; whenIdle(): Promise<void> }) {
    this.session = session
    this.save = saver.save
    this.whenIdle = saver.whenIdle
  }

  /** Events also report this page's own changes. */
  async handleEvent({ type, author: authorName, authorId, path, url, via }: LiveEvent): Promise<void> {
    const { session } = this
    const isOwn = authorId === document.body.dataset.member
    const author = via === 'disk' ? someoneOnDisk : isOwn ? 'You' : String(authorName ?? 'Someone')
    await this.whenIdle()
    if (type === 'doc.delete') return this.handleDeletion(author)
    if (typeof path !== 'string' || typeof url !== 'string') return
    if (session.noun === 'draft' && path.includes('/posts/')) return this.handlePublication(path, url)
    const isElsewhere = path !== session.file.details.path
    session.file.moveTo({ path, url })
    if (isElsewhere) {
      session.updateAddress()
      void refresh()
    }
    const remote = await this.fetchNewest().catch(() => null)
    if (!remote || remote.name === session.base.name || remote.name === session.comparison?.remote.name)
      return
    if (session.isDirty) {
      session.notices.show('change', `${author} changed this ${session.noun} while you were editing.`, [
        { label: 'Merge now', action: () => void this.mergeNow() },
        { label: 'Keep editing', action: () => {} },
      ])
      return
    }
    session.base = remote
    session.replaceText(remote.text)
    session.page.setStatus(`${author} changed this ${session.noun} just now`)
  }

  /** Reads the newest revision. One read during a save may already be outdated. */
  private async fetchNewest(): Promise<Revision | null> {
    for (;;) {
      const { base } = this.session
      const remote = await this.session.file.read()
      await this.whenIdle()
      if (this.session.base === base) return remote
    }
  }

  async reconcile(): Promise<void> {
    const { session } = this
    try {
      const remote = await session.file.read()
      if (!remote) return this.handleDeletion('Someone')
      const name = await session.file.lastEditor()
      const { text, conflicts } = merge(session.base.text, session.content, remote.text)
      if (conflicts > 0) {
        // Each side has both members' other changes, so that only the conflicts differ.
        const texts = () => ({
          local: merge(session.base.text, session.content, remote.text).text,
          remote: merge(session.base.text, remote.text, session.content).text,
        })
        return await this.compare(remote, texts, name, true)
      }
      session.base = remote
      session.replaceText(text)
      session.notices.show(
        'change',
        `${name} changed this ${session.noun} while you were editing. Your changes and theirs were merged. Review the text and save it.`,
        [
          { label: 'Save merged', action: this.save },
          {
            label: 'Show the differences',
            action: () =>
              void this.compare(remote, () => ({ local: session.content, remote: remote.text }), name, false),
          },
        ],
      )
    } catch (error) {
      session.notices.show('saving', errorText(error), [], 'problem')
    }
  }

  /** @param texts called once both can be shown @param isConflict whether differences need a choice */
  async compare(
    remote: Revision,
    texts: () => { local: string; remote: string },
    name: string,
    isConflict: boolean,
  ): Promise<void> {
    const { page, file, notices } = this.session
    const { openComparison: compare } = await import('./comparison.ts')
    // Only one comparison at a time.
    this.endComparison()
    const container = document.createElement('div')
    container.className = 'editor-compare'
    page.panes.hidden = true
    page.panes.after(container)
    const panel = compare(container, { ...texts(), name, nonce: file.details.nonce, isConflict })
    const close = () => {
      panel.close()
      container.remove()
      page.panes.hidden = false
    }
    this.session.comparison = { remote, panel: { ...panel, close } }
    notices.show(
      'change',
      isConflict
        ? `${name} changed the same lines. Choose a version of each, or edit the text. Their other changes are already merged.`
        : `${name}’s version and yours. Edit your version and save it.`,
      [
        { label: 'Save merged', action: this.save },
        { label: 'Back to editing', action: () => this.endComparison() },
      ],
    )
  }

  /** After both versions were seen, saving replaces the other one. */
  resolve(): void {
    const remote = this.endComparison()
    if (remote) this.session.base = remote
  }

  handleDeletion(author: string): void {
    const { session } = this
    if (session.isLeaving) return
    session.notices.show(
      'gone',
      `${author} deleted this ${session.noun}. Your text is kept in the editor.`,
      [{ label: 'Save as new', action: () => this.saveAsNew() }],
      'problem',
    )
  }

  private handlePublication(path: string, url: string): void {
    const { session } = this
    if (session.isLeaving) return
    session.file.moveTo({ path, url })
    const { page } = session.file.details
    session.notices.show(
      'gone',
      'This draft has been published and can no longer be changed.',
      [
        { label: 'Read the post', action: () => location.assign(page!) },
        { label: 'Save as a new draft', action: () => this.saveAsNew() },
      ],
      'problem',
    )
  }

  private saveAsNew(): void {
    this.endComparison()
    this.session.file.detach()
    this.session.base = emptyRevision
    this.save()
  }

  private mergeNow(): Promise<void> {
    this.endComparison()
    return this.reconcile()
  }

  /** Continues with the compared text. @returns the revision it was compared with */
  endComparison(): Revision | null {
    const { session } = this
    if (!session.comparison) return null
    const { panel, remote } = session.comparison
    const text = panel.text()
    session.comparison = null
    panel.close()
    session.replaceText(text)
    session.notices.clear('change')
    session.view.focus()
    return remote
  }
}
