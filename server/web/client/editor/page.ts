export class EditorPage {
  readonly element: HTMLElement
  readonly heading: HTMLElement
  readonly news: HTMLElement
  readonly panes: HTMLElement
  readonly write: HTMLElement
  readonly text: HTMLElement
  readonly preview: HTMLElement
  readonly uploads: HTMLElement
  private readonly files: HTMLInputElement
  readonly close: HTMLAnchorElement
  /** Null unless the file is new, as are the next two. */
  readonly title: HTMLInputElement | null
  readonly folder: HTMLInputElement | null
  readonly column: HTMLSelectElement | null
  readonly fields: HTMLElement | null
  private readonly state: HTMLElement
  private isLive = false

  constructor(element: HTMLElement) {
    const part = <E extends HTMLElement>(selector: string) => element.querySelector<E>(selector)
    this.element = element
    this.heading = part('.editor-head h1')!
    this.news = part('.editor-news')!
    this.panes = part('.editor-panes')!
    this.write = part('.editor-write')!
    this.text = part('.editor-text')!
    this.preview = part('.editor-preview')!
    this.uploads = part('.editor-uploads')!
    this.files = part<HTMLInputElement>('[data-files]')!
    this.close = part<HTMLAnchorElement>('[data-close]')!
    this.title = part<HTMLInputElement>('input[name="title"]')
    this.folder = part<HTMLInputElement>('input[name="folder"]')
    this.column = part<HTMLSelectElement>('select[name="column"]')
    this.fields = part('[data-fields]')
    this.state = part('.editor-state')!
  }

  /** The destination of a new file. */
  get place(): { folder: string; column: string | null } {
    return { folder: this.folder?.value ?? '', column: this.column?.value ?? null }
  }

  ready(): void {
    for (const part of this.element.querySelectorAll<HTMLElement>('[data-ready]')) part.hidden = false
  }

  /** Hides the buttons that save, since a live text is saved as it is typed. */
  showLive(isLive: boolean): void {
    this.isLive = isLive
    this.state.ariaLive = isLive ? 'off' : null
    for (const button of this.element.querySelectorAll<HTMLElement>('[data-do="save"], [data-do="finish"]'))
      button.hidden = isLive
  }

  /** A locked text takes no input and shows no cursor. */
  lock(isLocked: boolean): void {
    this.element.inert = isLocked
  }

  setStatus(words: string): void {
    if (this.state.textContent === words) return
    // It changes all the time while someone types; important changes are announced separately.
    if (this.isLive) this.state.ariaLive = 'off'
    this.state.textContent = words
  }

  announceStatus(words: string): void {
    this.state.ariaLive = 'polite'
    this.state.replaceChildren(words)
  }

  /** @param act receives the button's name; Control+S counts as one of them */
  onAction(act: (name: string) => void): void {
    this.element.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLButtonElement>('button[data-do]')
      if (button) act(button.dataset.do!)
    })
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented)
        return
      event.preventDefault()
      act('save')
    })
  }

  chooseFiles(): void {
    this.files.click()
  }

  onFiles(take: (files: File[]) => void): void {
    this.files.addEventListener('change', () => {
      take([...(this.files.files ?? [])])
      this.files.value = ''
    })
  }

  onField(changed: () => void): void {
    for (const field of [this.title, this.folder, this.column]) field?.addEventListener('input', changed)
  }

  /** On narrow screens, either text or preview is shown. @param shown called when that changes */
  onView(shown: () => void): void {
    for (const button of this.element.querySelectorAll<HTMLButtonElement>('[data-show]')) {
      button.addEventListener('click', () => {
        this.panes.dataset.shows = button.dataset.show!
        for (const one of this.element.querySelectorAll<HTMLButtonElement>('[data-show]'))
          one.ariaPressed = String(one === button)
        shown()
      })
    }
    matchMedia('(min-width: 72rem)').addEventListener('change', shown)
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
