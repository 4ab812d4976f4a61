import type { EditorView } from '@codemirror/view'
import { errorText } from '../api.ts'
import { addUploadLine, onFilesDropped, UploadCancelledError, type UploadedFile, upload } from '../drop.ts'
import type { EditorDetails } from './editor-details.ts'

interface TextPosition {
  at: number
}

/** Uploads files and links to them: to a draft's attachments, else to the project's files. */
export class AttachmentUploads {
  private readonly view: EditorView
  private readonly details: EditorDetails
  private readonly list: HTMLElement
  private readonly prepareTarget: () => Promise<boolean>
  private readonly marks = new Set<TextPosition>()
  private readonly pending = new Set<Promise<boolean>>()

  /** @param deps `prepareTarget` creates a new draft first, so that files can be attached to it */
  constructor(
    view: EditorView,
    deps: { details: EditorDetails; area: HTMLElement; list: HTMLElement; prepareTarget(): Promise<boolean> },
  ) {
    this.view = view
    this.details = deps.details
    this.list = deps.list
    this.prepareTarget = deps.prepareTarget
    onFilesDropped(deps.area, (files) => void this.add(files))
  }

  mapPositions(map: (at: number) => number): void {
    for (const mark of this.marks) mark.at = map(mark.at)
  }

  /** Whether uploads are running whose links are not in the text yet. */
  get isBusy(): boolean {
    return this.pending.size > 0
  }

  /** Resolves once no upload is running; false if one failed, which the page then says. */
  async whenIdle(): Promise<boolean> {
    let areAllLinked = true
    while (this.isBusy) {
      const added = await Promise.all(this.pending)
      areAllLinked &&= added.every((isLinked) => isLinked)
    }
    return areAllLinked
  }

  async add(files: readonly File[]): Promise<void> {
    const uploading = this.addAll(files)
    this.pending.add(uploading)
    await uploading.finally(() => this.pending.delete(uploading))
  }

  /** Returns whether all are linked, except for cancelled ones. */
  private async addAll(files: readonly File[]): Promise<boolean> {
    const mark: TextPosition = { at: this.view.state.selection.main.to }
    this.marks.add(mark)
    try {
      if (!(await this.prepareTarget())) return false
      let areAllLinked = true
      for (const file of files) areAllLinked = (await this.addOne(file, mark)) && areAllLinked
      return areAllLinked
    } finally {
      this.marks.delete(mark)
    }
  }

  private async addOne(file: File, mark: TextPosition): Promise<boolean> {
    const cancellation = new AbortController()
    const line = addUploadLine(this.list, file.name, () => cancellation.abort())
    try {
      const uploaded = await upload(this.target, file, line.setProgress, cancellation.signal)
      line.complete()
      this.insert(this.linkTo(uploaded), mark)
      return true
    } catch (error) {
      if (error instanceof UploadCancelledError) {
        line.complete()
        this.view.focus()
        return true
      }
      line.fail(errorText(error))
      return false
    }
  }

  private get isAttached(): boolean {
    return this.details.kind === 'draft' || this.details.kind === 'post'
  }

  private get target(): string {
    const project = `/v1/fs/projects/${encodeURIComponent(this.details.project)}`
    return this.isAttached ? `${this.details.path}/attachments` : `${project}/library/files`
  }

  private insert(text: string, mark: TextPosition): void {
    const { at } = mark
    const before = this.view.state.sliceDoc(Math.max(0, at - 1), at)
    const insert = before === '' || /\s/.test(before) ? text : ` ${text}`
    this.view.dispatch({ changes: { from: at, insert }, userEvent: 'input.paste' })
    mark.at = at + insert.length
  }

  /** Relative, so that links also work for programs on the disk. */
  private linkTo({ name, type, path }: UploadedFile): string {
    const label = name.replace(/[\\[\]]/g, '\\$&')
    const address = this.isAttached
      ? encodeURIComponent(name)
      : this.pathToProject + path.slice(path.indexOf('/library/files/') + '/library/'.length)
    return `${type.startsWith('image/') ? '!' : ''}[${label}](${withoutBrackets(address)})`
  }

  /** From the file's folder to the project's. */
  private get pathToProject(): string {
    const { kind, path } = this.details
    if (kind === 'card') return '../../'
    const below =
      path === null ? '' : path.slice(path.indexOf('/library/documents/') + '/library/documents/'.length)
    return '../'.repeat(below.split('/').length)
  }
}

const withoutBrackets = (address: string) => address.replaceAll('(', '%28').replaceAll(')', '%29')
