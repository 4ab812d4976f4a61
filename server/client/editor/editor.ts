import { Text, Transaction } from '@codemirror/state'
import { EditorView, keymap, type ViewUpdate } from '@codemirror/view'
import { errorText } from '../api.ts'
import { onEvents } from '../live.ts'
import { reasonsOf } from '../unreached.ts'
import { AttachmentUploads } from './attaching.ts'
import { completions } from './completion.ts'
import { EditSession, emptyRevision } from './edit-session.ts'
import type { EditorDetails } from './editor-details.ts'
import { FrontmatterFields } from './fields.ts'
import { EditedFile, type Revision } from './file.ts'
import { normalizeLineEnds } from './line-ends.ts'
import { LiveLink } from './live/link.ts'
import { LiveEditing } from './live/live-editing.ts'
import type { EditingMode } from './mode.ts'
import { Notices } from './notices.ts'
import { EditorPage } from './page.ts'
import { EditPresence } from './presence.ts'
import { Preview } from './preview.ts'
import { formatCommands, openTextEditor } from './text-editor.ts'

export async function startEditor(element: HTMLElement): Promise<void> {
  const page = new EditorPage(element)
  const notices = new Notices(page.noticeArea)
  const file = new EditedFile(JSON.parse(element.dataset.editor!) as EditorDetails)
  try {
    const link = await openLink(file)
    if (link) return new Editor({ page, notices, file }).startLive(link)
    const base = file.exists ? await file.read() : emptyRevision
    if (base) await new Editor({ page, notices, file }).startForm(base)
    else notices.show('gone', 'This file no longer exists. Look in the trash.', [], 'problem')
  } catch (error) {
    const retry = { label: 'Try again', action: () => location.reload() }
    notices.show('gone', errorText(error), [retry], 'problem')
  }
}

const openLink = async ({ details: { id } }: EditedFile): Promise<LiveLink | null> =>
  id === null ? null : LiveLink.open(id)

class Editor {
  private readonly page: EditorPage
  private readonly notices: Notices
  private readonly file: EditedFile
  private session!: EditSession
  private view!: EditorView
  private preview!: Preview
  private fields: FrontmatterFields | null = null
  private uploads!: AttachmentUploads
  private presence: EditPresence | null = null
  private mode: EditingMode | null = null

  constructor(options: { page: EditorPage; notices: Notices; file: EditedFile }) {
    this.page = options.page
    this.notices = options.notices
    this.file = options.file
  }

  startLive(link: LiveLink): void {
    const text = link.firstMessage!.text ?? ''
    this.build(text, emptyRevision)
    this.startLiveEditing(link, text)
    this.activate()
  }

  async startForm(base: Revision): Promise<void> {
    const { FormEditing } = await import('./form-editing.ts')
    this.build(base.text, base)
    const isNew = !this.file.exists
    const mode = new FormEditing(this.session, () => isNew && void this.switchToLiveEditing())
    this.mode = mode
    this.activate()
    if (!isNew) this.notices.show('alone', notLiveMessage)
    mode.offerUnsaved()
  }

  /** @param text on which the shown text is based */
  private startLiveEditing(link: LiveLink, text: string): void {
    const base = Text.of(text.split('\n'))
    const switchToForm = (isNew: boolean) =>
      this.switchToForm(isNew).catch((error) => this.notices.show('gone', errorText(error), [], 'problem'))
    this.mode = new LiveEditing(this.session, link, base, switchToForm)
  }

  /** Switches to live editing once a new file has been created. */
  private async switchToLiveEditing(): Promise<void> {
    const { session, mode } = this
    const link = await openLink(this.file)
    await mode?.whenIdle()
    if (!link || this.mode !== mode || session.isLeaving || session.isNew) return link?.end()
    mode?.end()
    this.startLiveEditing(link, session.base.text)
  }

  private async switchToForm(isNew: boolean): Promise<void> {
    const { FormEditing } = await import('./form-editing.ts')
    const base = isNew ? emptyRevision : await this.file.read()
    if (!base) return
    this.mode?.end()
    if (isNew) this.file.detach()
    this.session.base = base
    this.session.replaceText(normalizeLineEnds(this.session.content))
    this.mode = new FormEditing(this.session, () => isNew && void this.switchToLiveEditing())
    if (isNew) await this.mode.save()
    else this.mode.handleChange()
  }

  private build(text: string, base: Revision): void {
    const { page, notices, file } = this
    this.view = this.openView(text)
    this.session = new EditSession({ page, notices, file, base, view: this.view })
    this.preview = this.createPreview(this.session)
    this.fields = this.createFields(this.session)
    this.uploads = this.createUploads(this.session)
    if (file.details.kind === 'document') this.presence = new EditPresence(file, () => this.readPosition())
    page.onView(() => this.preview.schedule(0))
    page.onField(() => {
      this.preview.schedule()
      this.handleChange()
    })
    this.preview.schedule(0)
  }

  private openView(text: string): EditorView {
    const { details } = this.file
    const notifiesMentions = details.kind === 'draft' || details.kind === 'post'
    return openTextEditor(this.page.text, {
      text,
      nonce: details.nonce,
      hint: 'Write Markdown. Type @ to mention someone, [[ to link.',
      extensions: [
        completions(details.project, notifiesMentions),
        keymap.of([{ key: 'Mod-s', run: () => this.runAction('save'), preventDefault: true }]),
        EditorView.updateListener.of((update) => this.handleUpdate(update)),
      ],
    })
  }

  private handleUpdate({ docChanged, selectionSet, changes, transactions }: ViewUpdate): void {
    if (docChanged) {
      this.uploads.mapPositions((at) => changes.mapPos(at, 1))
      if (transactions.every((one) => one.annotation(Transaction.remote))) this.preview.scheduleForRemote()
      else this.preview.schedule()
      this.handleChange()
    }
    if (docChanged || selectionSet) this.presence?.noteLine(this.session.line)
  }

  private handleChange(): void {
    this.fields?.scheduleShow()
    this.mode?.handleChange()
  }

  /** The cursor's line, with the text and revision to which it refers. */
  private async readPosition(): Promise<{ base: Revision; text: string; line: number }> {
    const base = await this.mode!.loadSavedRevision()
    return { base, text: this.session.content, line: this.session.line }
  }

  private createFields(session: EditSession): FrontmatterFields | null {
    const { page } = this
    if (!page.fields) return null
    const text = { get: () => session.content, change: (changed: string) => session.applyEdit(changed) }
    const fields = new FrontmatterFields(page.fields, text)
    session.flushFields = () => fields.flush()
    return fields
  }

  private createUploads(session: EditSession): AttachmentUploads {
    const { page, file } = this
    const uploads = new AttachmentUploads(session.view, {
      details: file.details,
      area: page.writePane,
      list: page.uploads,
      prepareTarget: () => this.ensureAttachable(),
    })
    session.uploads = uploads
    page.onFiles((files) => void uploads.add(files))
    return uploads
  }

  private createPreview(session: EditSession): Preview {
    const { page, notices } = this
    const source = {
      details: this.file.details,
      text: () => session.text,
      subFolder: () => page.folder?.value.trim() ?? '',
    }
    const preview = new Preview(page.preview, source, (unreached) => {
      const message = `Some mentioned members will not be notified. ${reasonsOf(unreached)}`
      if (unreached.length === 0) notices.clear('unreached')
      else if (!notices.isShowing('unreached', message)) notices.show('unreached', message)
    })
    session.unreached = () => preview.unreached()
    return preview
  }

  private activate(): void {
    const { page, file, view } = this
    page.onAction((name) => this.runAction(name))
    page.scrollTogether(view.scrollDOM)
    onEvents((events) => {
      for (const event of events) if (event.docId === file.details.id) this.mode?.handleEvent(event)
    })
    page.showControls()
    if (file.exists) view.focus()
    else page.title?.focus()
  }

  private runAction(name: string): true {
    const { mode, view } = this
    if (name === 'save') void mode?.save()
    else if (name === 'finish') void mode?.finish()
    else if (name === 'publish') void mode?.publish()
    else if (name === 'attach') this.page.chooseFiles()
    else if (Object.hasOwn(formatCommands, name)) {
      formatCommands[name as keyof typeof formatCommands](view)
      view.focus()
    }
    return true
  }

  /** A draft must exist before files can be attached. Other files go to the project. */
  private async ensureAttachable(): Promise<boolean> {
    const { file, mode } = this
    const isAttached = file.details.kind === 'draft' || file.details.kind === 'post'
    if (!isAttached || file.exists) return true
    return mode?.save() ?? false
  }
}

const notLiveMessage = 'Live editing is not available here. Others see your changes after you save.'
