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
import { withPlainEnds } from './line-ends.ts'
import { LiveLink } from './live/link.ts'
import { LiveEditing } from './live/live-editing.ts'
import type { EditingMode } from './mode.ts'
import { Notices } from './notices.ts'
import { EditorPage } from './page.ts'
import { EditPresence } from './presence.ts'
import { Preview } from './preview.ts'
import { formatCommands, openTextEditor } from './text-editor.ts'

export async function start(element: HTMLElement): Promise<void> {
  const page = new EditorPage(element)
  const notices = new Notices(page.news)
  const file = new EditedFile(JSON.parse(element.dataset.editor!) as EditorDetails)
  try {
    const link = await openLink(file)
    if (link) return new Editor({ page, notices, file }).startLive(link)
    const base = file.exists ? await file.read() : emptyRevision
    if (base) await new Editor({ page, notices, file }).startForm(base)
    else notices.show('gone', 'This file no longer exists. Look in the trash.', [], 'problem')
  } catch (error) {
    const again = { words: 'Try again', action: () => location.reload() }
    notices.show('gone', errorText(error), [again], 'problem')
  }
}

const openLink = async ({ details: { id, isLive } }: EditedFile): Promise<LiveLink | null> =>
  id !== null && isLive ? LiveLink.open(id) : null

class Editor {
  private readonly page: EditorPage
  private readonly notices: Notices
  private readonly file: EditedFile
  private work!: EditSession
  private view!: EditorView
  private preview!: Preview
  private fields: FrontmatterFields | null = null
  private attaching!: AttachmentUploads
  private presence: EditPresence | null = null
  private mode: EditingMode | null = null

  constructor(parts: { page: EditorPage; notices: Notices; file: EditedFile }) {
    this.page = parts.page
    this.notices = parts.notices
    this.file = parts.file
  }

  startLive(link: LiveLink): void {
    const text = link.first!.text ?? ''
    this.build(text, emptyRevision)
    this.share(link, text)
    this.ready()
  }

  async startForm(base: Revision): Promise<void> {
    const { FormEditing } = await import('./form-editing.ts')
    this.build(base.text, base)
    const isNew = !this.file.exists
    const mode = new FormEditing(this.work, () => isNew && void this.shareSaved())
    this.mode = mode
    this.ready()
    if (!isNew && this.file.details.isLive) this.notices.show('alone', aloneWords)
    mode.offerUnsaved()
  }

  /** @param text on which the shown text is based */
  private share(link: LiveLink, text: string): void {
    const base = Text.of(text.split('\n'))
    const useForm = (isNew: boolean) =>
      this.useForm(isNew).catch((error) => this.notices.show('gone', errorText(error), [], 'problem'))
    this.mode = new LiveEditing(this.work, link, base, useForm)
  }

  /** Switches to live editing once a new file has been created. */
  private async shareSaved(): Promise<void> {
    const { work, mode } = this
    const link = await openLink(this.file)
    await mode?.idle()
    if (!link || this.mode !== mode || work.isLeaving || work.isNew) return link?.end()
    mode?.end()
    this.share(link, work.base.text)
  }

  private async useForm(isNew: boolean): Promise<void> {
    const { FormEditing } = await import('./form-editing.ts')
    const base = isNew ? emptyRevision : await this.file.read()
    if (!base) return
    this.mode?.end()
    if (isNew) this.file.forget()
    this.work.base = base
    this.work.replaceText(withPlainEnds(this.work.written))
    this.mode = new FormEditing(this.work, () => isNew && void this.shareSaved())
    if (isNew) await this.mode.save()
    else this.mode.changed()
  }

  private build(text: string, base: Revision): void {
    const { page, notices, file } = this
    this.view = this.openView(text)
    this.work = new EditSession({ page, notices, file, base, view: this.view })
    this.preview = this.previewOf(this.work)
    this.fields = this.fieldsOf(this.work)
    this.attaching = this.attachingTo(this.work)
    if (file.details.kind === 'document') this.presence = new EditPresence(file, () => this.place())
    page.onView(() => this.preview.schedule(0))
    page.onField(() => {
      this.preview.schedule()
      this.changed()
    })
    this.preview.schedule(0)
  }

  private openView(text: string): EditorView {
    const { details } = this.file
    const isTold = details.kind === 'draft' || details.kind === 'post'
    return openTextEditor(this.page.text, {
      text,
      nonce: details.nonce,
      hint: 'Write Markdown. Type @ to mention someone, [[ to link.',
      extensions: [
        completions(details.project, isTold),
        keymap.of([{ key: 'Mod-s', run: () => this.act('save'), preventDefault: true }]),
        EditorView.updateListener.of((update) => this.updated(update)),
      ],
    })
  }

  private updated({ docChanged, selectionSet, changes, transactions }: ViewUpdate): void {
    if (docChanged) {
      this.attaching.moved((at) => changes.mapPos(at, 1))
      if (transactions.every((one) => one.annotation(Transaction.remote))) this.preview.othersWrote()
      else this.preview.schedule()
      this.changed()
    }
    if (docChanged || selectionSet) this.presence?.moved(this.work.line)
  }

  private changed(): void {
    this.fields?.textChanged()
    this.mode?.changed()
  }

  /** The cursor's line, with the text and revision to which it refers. */
  private async place(): Promise<{ base: Revision; text: string; line: number }> {
    const base = await this.mode!.savedRevision()
    return { base, text: this.work.written, line: this.work.line }
  }

  private fieldsOf(work: EditSession): FrontmatterFields | null {
    const { page } = this
    if (!page.fields) return null
    const text = { get: () => work.written, change: (changed: string) => work.applyEdit(changed) }
    const fields = new FrontmatterFields(page.fields, text)
    work.settleFields = () => fields.flush()
    return fields
  }

  private attachingTo(work: EditSession): AttachmentUploads {
    const { page, file } = this
    const attaching = new AttachmentUploads(work.view, {
      details: file.details,
      area: page.write,
      list: page.uploads,
      prepareTarget: () => this.canAttach(),
    })
    work.uploads = attaching
    page.onFiles((files) => void attaching.add(files))
    return attaching
  }

  private previewOf(work: EditSession): Preview {
    const { page, notices } = this
    const source = {
      details: this.file.details,
      text: () => work.text,
      subFolder: () => page.folder?.value.trim() ?? '',
    }
    const preview = new Preview(page.preview, source, (unreached) => {
      const words = `Some mentioned members will not be notified. ${reasonsOf(unreached)}`
      if (unreached.length === 0) notices.clear('unreached')
      else if (!notices.isShowing('unreached', words)) notices.show('unreached', words)
    })
    work.unreached = () => preview.unreached()
    return preview
  }

  private ready(): void {
    const { page, file, view } = this
    page.onAction((name) => this.act(name))
    page.scrollTogether(view.scrollDOM)
    onEvents((events) => {
      for (const event of events) if (event.docId === file.details.id) this.mode?.handleEvent(event)
    })
    page.ready()
    if (file.exists) view.focus()
    else page.title?.focus()
  }

  private act(name: string): true {
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
  private async canAttach(): Promise<boolean> {
    const { file, mode } = this
    const isAttached = file.details.kind === 'draft' || file.details.kind === 'post'
    if (!isAttached || file.exists) return true
    return mode?.save() ?? false
  }
}

const aloneWords = 'Live editing is not available here. Others see your changes after you save.'
