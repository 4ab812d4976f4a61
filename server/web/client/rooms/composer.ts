import { call, errorText } from '../api.ts'
import { linkTo, onFilesDropped, upload, uploadLine } from '../drop.ts'
import { storedText } from '../mentions.ts'
import { showError } from '../problem.ts'
import { Draft } from './draft.ts'
import { autoGrow, isSendKey } from './field.ts'

const composing = new WeakSet<HTMLFormElement>()

export function enableComposer(form: HTMLFormElement, onSent: () => unknown): void {
  if (composing.has(form)) return
  composing.add(form)
  const field = form.querySelector('textarea')!
  const send = form.querySelector<HTMLButtonElement>('.composer-foot > button:not([type])')!
  const { composer: path = '', thread } = form.dataset
  const draft = new Draft(path + (thread ?? ''))
  const grow = autoGrow(field)
  let isSending = false

  const write = (text: string) => {
    field.value = text
    draft.text = text
    grow()
  }
  const submit = async () => {
    if (isSending || field.value.trim() === '') return
    isSending = true
    send.ariaDisabled = 'true'
    const written = field.value
    try {
      const body = await storedText(field)
      const json = { body, ...(thread !== undefined && { threadId: thread }) }
      const headers = { 'Idempotency-Key': draft.keyFor(body) }
      const answer = await call('POST', path, { json, headers })
      draft.sent()
      showError(form, null)
      form.dispatchEvent(new CustomEvent('called', { detail: answer }))
      // What was written meanwhile is the next message.
      write(field.value.startsWith(written) ? field.value.slice(written.length).trimStart() : field.value)
      await onSent()
    } catch (error) {
      showError(form, `Not sent. ${errorText(error)}`)
    } finally {
      isSending = false
      send.ariaDisabled = null
    }
  }

  // The field may have been changed before this was loaded.
  const begun = new Set([draft.text, field.value].filter((text) => text !== ''))
  if (begun.size > 0) write([...begun].join('\n'))
  field.addEventListener('input', () => {
    draft.text = field.value
  })
  field.addEventListener('keydown', (event) => {
    if (!isSendKey(event)) return
    event.preventDefault()
    void submit()
  })
  form.addEventListener('submit', (event) => {
    if (event.target !== form) return
    event.preventDefault()
    void submit()
    field.focus()
  })
  attach(form, (link) => {
    const before = field.value.slice(0, field.selectionStart)
    const space = before === '' || /\s$/.test(before) ? '' : ' '
    field.setRangeText(`${space}${link} `, field.selectionStart, field.selectionEnd, 'end')
    write(field.value)
  })
}

/** Takes files in that are dropped, pasted or chosen, each of which becomes a link. */
function attach(form: HTMLFormElement, insert: (link: string) => void): void {
  const button = form.querySelector<HTMLButtonElement>('[data-attach]')
  const input = form.querySelector<HTMLInputElement>('input[type="file"]')
  if (!button || !input) return
  const lines = form.querySelector<HTMLElement>('.uploads')!
  const take = async (files: File[]) => {
    const to = form.dataset.upload ?? (await chosenFolder(form))
    if (to) await Promise.all(files.map((file) => send(to, file)))
  }
  const send = async (to: string, file: File) => {
    const line = uploadLine(lines, file.name)
    try {
      insert(linkTo(await upload(to, file, (part) => line.progress(part))))
      line.done()
    } catch (error) {
      line.fail(errorText(error))
    }
  }
  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    void take([...(input.files ?? [])])
    input.value = ''
  })
  const area = form.closest<HTMLElement>('.talk, .thread') ?? form
  onFilesDropped(area, (files) => void take(files))
}

/** Asks where files of a room without a project go. @returns null where it was called off */
function chosenFolder(form: HTMLFormElement): Promise<string | null> {
  const dialog = document.getElementById(form.id.replace('-form', '-where')) as HTMLDialogElement
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => resolve(dialog.returnValue === 'upload' ? dialog.querySelector('select')!.value : null),
      { once: true },
    )
  })
}
