import { call, errorText } from '../api.ts'
import { addUploadLine, linkTo, onFilesDropped, UploadCancelledError, upload } from '../drop.ts'
import { showError } from '../feedback.ts'
import { describeAmbiguity, pickedMentions, restorePicked } from '../mentions.ts'
import { commandIn } from './commands.ts'
import { offerRoomCompletions } from './completions.ts'
import { autoGrow, isSendKey } from './field.ts'
import { type UnsentMessage, unsentMessages } from './unsent-messages.ts'
import { UnsentText } from './unsent-text.ts'

const composers = new WeakMap<HTMLFormElement, Composer>()

interface ComposerOptions {
  roomId: string
  /** Called before the server has confirmed the message. */
  onSend(): void
  /** Called for Up in an empty field. */
  onEditLast(): void
}

export function enableComposer(form: HTMLFormElement, options: ComposerOptions): void {
  if (!composers.has(form)) composers.set(form, new Composer(form, options))
}

/** Puts an unsent message back into its composer, opening the thread if necessary. */
export function restoreUnsent({ path, threadId, text, picked }: UnsentMessage): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('form[data-composer]')]
  const form = forms.find(({ dataset }) => dataset.composer === path && dataset.thread === threadId)
  const composer = form && composers.get(form)
  if (composer) {
    composer.prepend(text, picked)
    return
  }
  const unsentText = new UnsentText(unsentTextKey(path, threadId))
  unsentText.text = joinLines(text, unsentText.text)
  location.assign(`${location.pathname}${threadId === undefined ? '' : `?thread=${threadId}`}`)
}

const unsentTextKey = (path: string, threadId: string | undefined) => path + (threadId ?? '')

const joinLines = (...texts: string[]) => texts.filter((text) => text !== '').join('\n')

class Composer {
  private readonly form: HTMLFormElement
  private readonly options: ComposerOptions
  private readonly field: HTMLTextAreaElement
  private readonly unsentText: UnsentText
  private readonly path: string
  private readonly threadId: string | undefined
  private readonly grow: () => void
  /** Held back because a name in it is ambiguous. */
  private heldText: string | null = null

  constructor(form: HTMLFormElement, options: ComposerOptions) {
    this.form = form
    this.options = options
    this.field = form.querySelector('textarea')!
    this.path = form.dataset.composer ?? ''
    this.threadId = form.dataset.thread
    this.unsentText = new UnsentText(unsentTextKey(this.path, this.threadId))
    this.grow = autoGrow(this.field)
    this.restoreDraft()
    this.listen()
    offerRoomCompletions(this.field, form.dataset.project)
    signalTyping(this.field, options.roomId)
    attach(form, (link) => this.insert(link))
  }

  prepend(text: string, picked: UnsentMessage['picked']): void {
    restorePicked(this.field, picked)
    this.write(joinLines(text, this.field.value))
    this.field.focus()
  }

  private restoreDraft(): void {
    const { unsentText, field } = this
    // The field may have been changed before this script was loaded.
    const texts = new Set([unsentText.text, field.value].filter((text) => text !== ''))
    if (texts.size > 0) this.write([...texts].join('\n'))
    unsentText.onChange((text, before) => {
      if (!field.isConnected || field.value !== before) return
      field.value = text
      this.grow()
    })
  }

  private listen(): void {
    const { field, form } = this
    field.addEventListener('input', () => {
      this.unsentText.text = field.value
    })
    field.addEventListener('keydown', (event) => {
      if (isSendKey(event)) {
        event.preventDefault()
        this.send()
      } else if (isPlainUp(event) && field.value === '') {
        event.preventDefault()
        this.options.onEditLast()
      }
    })
    form.addEventListener('submit', (event) => {
      if (event.target !== form) return
      event.preventDefault()
      this.send()
      field.focus()
    })
    unsentMessages.onSent((message, response) => {
      if (message.path === this.path && message.threadId === this.threadId && form.isConnected)
        form.dispatchEvent(new CustomEvent('called', { detail: response }))
    })
  }

  private send(): void {
    const { field, path, threadId, options } = this
    const text = field.value
    const command = commandIn(field, options.roomId)
    if (command) {
      void this.run(command, text)
      return
    }
    if (text.trim() === '' || this.holdAmbiguous(text)) return
    unsentMessages.add({
      path,
      roomId: options.roomId,
      text,
      picked: pickedMentions(field),
      ...(threadId !== undefined && { threadId }),
    })
    this.clear()
    options.onSend()
  }

  private async run(command: () => Promise<void>, text: string): Promise<void> {
    try {
      await command()
      if (this.field.value === text) this.clear()
    } catch (error) {
      showError(this.form, errorText(error))
    }
  }

  private clear(): void {
    showError(this.form, null)
    this.write('')
    this.field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }

  /** Holds text with an ambiguous name back once; sending it again sends it. @returns whether it is held */
  private holdAmbiguous(text: string): boolean {
    const ambiguity = describeAmbiguity(this.field)
    if (ambiguity === '' || this.heldText === text) return false
    this.heldText = text
    showError(this.form, `${ambiguity} Or send again to mention nobody.`)
    return true
  }

  private write(text: string): void {
    this.field.value = text
    this.unsentText.text = text
    this.grow()
  }

  private insert(link: string): void {
    const { field } = this
    const before = field.value.slice(0, field.selectionStart)
    const space = before === '' || /\s$/.test(before) ? '' : ' '
    field.setRangeText(`${space}${link} `, field.selectionStart, field.selectionEnd, 'end')
    this.write(field.value)
  }
}

const isPlainUp = ({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) =>
  key === 'ArrowUp' && !altKey && !ctrlKey && !metaKey && !shiftKey

function attach(form: HTMLFormElement, insert: (link: string) => void): void {
  const button = form.querySelector<HTMLButtonElement>('[data-attach]')
  const input = form.querySelector<HTMLInputElement>('input[type="file"]')
  if (!button || !input) return
  const lines = form.querySelector<HTMLElement>('.uploads')!
  const uploadUrl = form.dataset.upload!
  const send = async (file: File) => {
    const cancellation = new AbortController()
    const line = addUploadLine(lines, file.name, () => cancellation.abort())
    try {
      insert(
        linkTo(await upload(uploadUrl, file, (fraction) => line.setProgress(fraction), cancellation.signal)),
      )
      line.complete()
    } catch (error) {
      if (error instanceof UploadCancelledError) line.complete()
      else line.fail(errorText(error))
    }
  }
  const sendAll = (files: File[]) => {
    for (const file of files) void send(file)
  }
  button.addEventListener('click', () => input.click())
  input.addEventListener('change', () => {
    sendAll([...(input.files ?? [])])
    input.value = ''
  })
  const area = form.closest<HTMLElement>('.talk, .thread') ?? form
  onFilesDropped(area, sendAll)
}

/** The server's signal lasts six seconds. */
const repeatMs = 4000

function signalTyping(field: HTMLTextAreaElement, roomId: string): void {
  let lastMs = Number.NEGATIVE_INFINITY
  const send = (method: 'POST' | 'DELETE') => {
    lastMs = method === 'POST' ? performance.now() : Number.NEGATIVE_INFINITY
    call(method, `/rooms/${roomId}/typing`).catch(() => {})
  }
  field.addEventListener('input', (event) => {
    // Changes by script, such as emptying the field after sending, are not typing.
    if (!event.isTrusted) {
      if (field.value === '') lastMs = Number.NEGATIVE_INFINITY
    } else if (field.value === '') {
      if (lastMs > 0) send('DELETE')
    } else if (performance.now() - lastMs > repeatMs && !field.value.startsWith('/')) send('POST')
  })
}
