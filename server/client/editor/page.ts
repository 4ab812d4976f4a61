export class EditorPage {
  readonly element: HTMLElement
  readonly heading: HTMLElement
  readonly noticeArea: HTMLElement
  readonly panes: HTMLElement
  readonly writePane: HTMLElement
  readonly text: HTMLElement
  readonly preview: HTMLElement
  readonly uploads: HTMLElement
  private readonly fileInput: HTMLInputElement
  readonly closeLink: HTMLAnchorElement
  /** Null unless the file is new, as are the next two. */
  readonly title: HTMLInputElement | null
  readonly folder: HTMLInputElement | null
  readonly column: HTMLSelectElement | null
  readonly fields: HTMLElement | null
  private readonly status: HTMLElement
  private isLive = false

  constructor(element: HTMLElement) {
    const part = <E extends HTMLElement>(selector: string) => element.querySelector<E>(selector)
    this.element = element
    this.heading = part('.editor-head h1')!
    this.noticeArea = part('.editor-notices')!
    this.panes = part('.editor-panes')!
    this.writePane = part('.editor-write')!
    this.text = part('.editor-text')!
    this.preview = part('.editor-preview')!
    this.uploads = part('.editor-uploads')!
    this.fileInput = part<HTMLInputElement>('[data-files]')!
    this.closeLink = part<HTMLAnchorElement>('[data-close]')!
    this.title = part<HTMLInputElement>('input[name="title"]')
    this.folder = part<HTMLInputElement>('input[name="folder"]')
    this.column = part<HTMLSelectElement>('select[name="column"]')
    this.fields = part('[data-fields]')
    this.status = part('.editor-state')!
  }

  /** The destination of a new file. */
  get destination(): { folder: string; column: string | null } {
    return { folder: this.folder?.value ?? '', column: this.column?.value ?? null }
  }

  showControls(): void {
    for (const part of this.element.querySelectorAll<HTMLElement>('[data-ready]')) part.hidden = false
  }

  /** Hides the buttons that save, since a live text is saved as it is typed. */
  showLive(isLive: boolean): void {
    this.isLive = isLive
    this.status.ariaLive = isLive ? 'off' : null
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-do="save"], [data-do="finish"]'))
      button.hidden = isLive
  }

  /** A locked text takes no input and shows no cursor. */
  lock(isLocked: boolean): void {
    this.element.inert = isLocked
  }

  setStatus(text: string): void {
    if (this.status.textContent === text) return
    // It changes all the time while someone types; important changes are announced separately.
    if (this.isLive) this.status.ariaLive = 'off'
    this.status.textContent = text
  }

  announceStatus(text: string): void {
    this.status.ariaLive = 'polite'
    this.status.replaceChildren(text)
  }

  /** @param listener receives the button's name; Control+S counts as one of them */
  onAction(listener: (name: string) => void): void {
    this.element.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLButtonElement>('button[data-do]')
      if (button) listener(button.dataset.do!)
    })
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented)
        return
      event.preventDefault()
      listener('save')
    })
  }

  chooseFiles(): void {
    this.fileInput.click()
  }

  onFiles(listener: (files: File[]) => void): void {
    this.fileInput.addEventListener('change', () => {
      listener([...(this.fileInput.files ?? [])])
      this.fileInput.value = ''
    })
  }

  onField(listener: () => void): void {
    for (const field of [this.title, this.folder, this.column]) field?.addEventListener('input', listener)
  }

  /** On narrow screens, either text or preview is shown. @param listener called when that changes */
  onView(listener: () => void): void {
    for (const button of this.element.querySelectorAll<HTMLButtonElement>('[data-show]')) {
      button.addEventListener('click', () => {
        this.panes.dataset.shows = button.dataset.show!
        for (const other of this.element.querySelectorAll<HTMLButtonElement>('[data-show]'))
          other.ariaPressed = String(other === button)
        listener()
      })
    }
    matchMedia('(min-width: 72rem)').addEventListener('change', listener)
  }

  /** After creation, the text itself contains the title. */
  removeCreationFields(): void {
    for (const field of [this.title, this.folder, this.column]) field?.closest('p')?.remove()
  }

  scrollTogether(text: HTMLElement): void {
    text.addEventListener(
      'scroll',
      () => {
        const maxTextScroll = text.scrollHeight - text.clientHeight
        const maxPreviewScroll = this.preview.scrollHeight - this.preview.clientHeight
        if (maxTextScroll > 0 && maxPreviewScroll > 0)
          this.preview.scrollTop = (text.scrollTop / maxTextScroll) * maxPreviewScroll
      },
      { passive: true },
    )
  }
}
