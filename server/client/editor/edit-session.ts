import type { EditorView } from '@codemirror/view'
import type { Unreached } from '../unreached.ts'
import type { Comparison } from './comparison.ts'
import type { EditedFile, Revision } from './file.ts'
import type { Notices } from './notices.ts'
import type { EditorPage } from './page.ts'
import { replaceText } from './text-editor.ts'
import { withTitle } from './with-title.ts'

/** The base of a new file. */
export const emptyRevision: Revision = { name: '', serverFrontmatter: '', raw: '', text: '' }

interface Uploads {
  readonly isBusy: boolean
  /** False if an upload failed, which the page then says. */
  whenIdle(): Promise<boolean>
}

export class EditSession {
  readonly page: EditorPage
  readonly file: EditedFile
  readonly notices: Notices
  readonly view: EditorView
  base: Revision
  comparison: { panel: Comparison; remote: Revision } | null = null
  isLeaving = false
  /** Writes pending field values into the text. False if that fails, which the page then says. */
  flushFields: () => Promise<boolean> = async () => true
  unreached: () => Promise<readonly Unreached[]> = async () => []
  uploads: Uploads = { isBusy: false, whenIdle: async () => true }

  constructor(options: {
    page: EditorPage
    file: EditedFile
    notices: Notices
    view: EditorView
    base: Revision
  }) {
    this.page = options.page
    this.file = options.file
    this.notices = options.notices
    this.view = options.view
    this.base = options.base
  }

  get content(): string {
    return this.view.state.doc.toString()
  }

  /** Includes the title of a new file. */
  get text(): string {
    return this.isNew ? withTitle(this.content, this.page.title?.value ?? '') : this.content
  }

  get line(): number {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number - 1
  }

  get isNew(): boolean {
    return this.base === emptyRevision
  }

  get isDirty(): boolean {
    return this.comparison !== null || this.text !== this.base.text
  }

  get noun(): string {
    return this.file.details.kind
  }

  /** Applies others' changes, which undo does not revert. Cursor and scroll position stay. */
  replaceText(text: string): void {
    replaceText(this.view, text, false)
  }

  /** Applies the author's own changes, which undo reverts. */
  applyEdit(text: string): void {
    replaceText(this.view, text, true)
  }

  /** Locks the text while another page loads: further input would be neither saved nor stored. */
  lockForLeaving(): void {
    this.isLeaving = true
    this.page.lock(true)
  }

  unlock(): void {
    this.isLeaving = false
    this.page.lock(false)
  }

  navigateTo(address: string): void {
    this.lockForLeaving()
    const { pathname, search } = new URL(address, location.href)
    location.assign(pathname + search)
  }

  /** @param page the new path of the file's page */
  setPagePath(page: string): void {
    Object.assign(this.file.details, { page, back: page })
    this.updateAddress()
  }

  updateAddress(): void {
    history.replaceState(null, '', this.file.editPage)
    this.page.closeLink.href = this.file.details.back
  }
}
