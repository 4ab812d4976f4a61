import type { EditorView } from '@codemirror/view'
import type { Unreached } from '../unreached.ts'
import type { Comparison } from './comparison.ts'
import type { EditedFile, Revision } from './file.ts'
import type { Notices } from './notices.ts'
import type { EditorPage } from './page.ts'
import { replaceText } from './text-editor.ts'
import { withTitle } from './with-title.ts'

/** What something new is written over. */
export const emptyRevision: Revision = { name: '', server: '', written: '', text: '' }

interface Uploads {
  readonly isBusy: boolean
  /** False: something could not be uploaded; the page says why. */
  idle(): Promise<boolean>
}

export class EditSession {
  readonly page: EditorPage
  readonly file: EditedFile
  readonly notices: Notices
  readonly view: EditorView
  base: Revision
  /** An unresolved conflict with another author's change. */
  comparison: { shown: Comparison; theirs: Revision } | null = null
  isLeaving = false
  /** Lets what was chosen in the fields, and is not in the text yet, come into it. False: it cannot; the page says why. */
  settleFields: () => Promise<boolean> = async () => true
  /** Mentioned members who would not be notified. */
  unreached: () => Promise<readonly Unreached[]> = async () => []
  uploads: Uploads = { isBusy: false, idle: async () => true }

  constructor(parts: {
    page: EditorPage
    file: EditedFile
    notices: Notices
    view: EditorView
    base: Revision
  }) {
    this.page = parts.page
    this.file = parts.file
    this.notices = parts.notices
    this.view = parts.view
    this.base = parts.base
  }

  get written(): string {
    return this.view.state.doc.toString()
  }

  /** The whole text, with the title of something new above it. */
  get text(): string {
    return this.isNew ? withTitle(this.written, this.page.title?.value ?? '') : this.written
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

  /** Lets the text be what others have made of it; cursor and place stay, and to undo it is not to lose it. */
  replaceText(text: string): void {
    replaceText(this.view, text, false)
  }

  /** The same of what was done here. */
  applyEdit(text: string): void {
    replaceText(this.view, text, true)
  }

  /**
   * The page is on the way to another one, and asks nothing. Until that has come, nothing more can be written: it would be
   * neither saved nor kept.
   */
  lockForLeaving(): void {
    this.isLeaving = true
    this.page.lock(true)
  }

  /** The page is shown again as it was. */
  unlock(): void {
    this.isLeaving = false
    this.page.lock(false)
  }

  leaveFor(address: string): void {
    this.lockForLeaving()
    const { pathname, search } = new URL(address, location.href)
    location.assign(pathname + search)
  }

  /** The file is read elsewhere by now. @param page its path */
  followTo(page: string): void {
    Object.assign(this.file.details, { page, back: page })
    this.updateAddress()
  }

  updateAddress(): void {
    history.replaceState(null, '', this.file.editPage)
    this.page.close.href = this.file.details.back
  }
}
