import { Text, Transaction } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { errorText } from '../api.ts'
import { onEvents } from '../live.ts'
import { reasonsOf } from '../unreached.ts'
import { AttachmentUploads } from './attaching.ts'
import { completions } from './completion.ts'
import { EditSession, emptyRevision } from './edit-session.ts'
import type { EditorFacts } from './facts.ts'
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
  const file = new EditedFile(JSON.parse(element.dataset.editor!) as EditorFacts)
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

const openLink = async ({ facts: { id, isLive } }: EditedFile): Promise<LiveLink | null> =>
  id !== null && isLive ? LiveLink.open(id) : null

/** The page of one text, whichever way it is saved. */
class Editor {
  private readonly page: EditorPage
  private readonly notices: Notices
  private readonly file: EditedFile
  private work!: EditSession
  private view!: EditorView
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
    if (!isNew && this.file.facts.isLive) this.notices.show('alone', aloneWords)
    mode.offerUnsaved()
  }

  /** @param text that the shown one was written on */
  private share(link: LiveLink, text: string): void {
    const base = Text.of(text.split('\n'))
    const useForm = (isNew: boolean) =>
      this.useForm(isNew).catch((error) => this.notices.show('gone', errorText(error), [], 'problem'))
    this.mode = new LiveEditing(this.work, link, base, useForm)
  }

  /** What was new is there, and can be written together. */
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
    const { facts } = file
    const isTold = facts.kind === 'draft' || facts.kind === 'post'
    this.view = openTextEditor(page.text, {
      text,
      nonce: facts.nonce,
      hint: 'Write Markdown. Type @ to mention someone, [[ to link.',
      extensions: [
        completions(facts.project, isTold),
        keymap.of([{ key: 'Mod-s', run: () => this.act('save'), preventDefault: true }]),
        EditorView.updateListener.of(({ docChanged, selectionSet, changes, transactions }) => {
          if (docChanged) {
            attaching.moved((at) => changes.mapPos(at, 1))
            if (transactions.every((one) => one.annotation(Transaction.remote))) preview.othersWrote()
            else preview.schedule()
            changed()
          }
          if (docChanged || selectionSet) presence?.moved(work.line)
        }),
      ],
    })
    const { view } = this
    const work = new EditSession({ page, notices, file, base, view })
    this.work = work
    const preview = this.previewOf(work)
    work.unreached = () => preview.unreached()
    const fields =
      page.fields &&
      new FrontmatterFields(page.fields, { get: () => work.written, change: (text) => work.applyEdit(text) })
    if (fields) work.settleFields = () => fields.flush()
    const attaching = new AttachmentUploads(view, {
      facts,
      area: page.write,
      list: page.uploads,
      prepareTarget: () => this.canAttach(),
    })
    work.uploads = attaching
    const near = async () => ({ base: await this.mode!.savedRevision(), text: work.written, line: work.line })
    const presence = facts.kind === 'document' ? new EditPresence(file, near) : null
    const changed = () => {
      fields?.textChanged()
      this.mode?.changed()
    }
    page.onView(() => preview.schedule(0))
    page.onField(() => {
      preview.schedule()
      changed()
    })
    page.onFiles((files) => void attaching.add(files))
    preview.schedule(0)
  }

  private previewOf(work: EditSession): Preview {
    const { page, notices } = this
    const source = {
      facts: this.file.facts,
      text: () => work.text,
      subFolder: () => page.folder?.value.trim() ?? '',
    }
    return new Preview(page.preview, source, (unreached) => {
      const words = `Some mentioned members will not be notified. ${reasonsOf(unreached)}`
      if (unreached.length === 0) notices.clear('unreached')
      else if (!notices.isShowing('unreached', words)) notices.show('unreached', words)
    })
  }

  private ready(): void {
    const { page, file, view } = this
    page.onAction((name) => this.act(name))
    page.scrollTogether(view.scrollDOM)
    onEvents((events) => {
      for (const event of events) if (event.docId === file.facts.id) this.mode?.handleEvent(event)
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

  /** Files are attached to a draft that is there; those of the project need none. */
  private async canAttach(): Promise<boolean> {
    const { file, mode } = this
    const isAttached = file.facts.kind === 'draft' || file.facts.kind === 'post'
    if (!isAttached || file.exists) return true
    return mode?.save() ?? false
  }
}

const aloneWords = 'Live editing is not available here: others do not see what you write until you save it.'
