export interface Choice {
  words: string
  action(): void
}

/** Short lines above the text that say what has happened, each with what can be done about it. */
export class Notices {
  private readonly place: HTMLElement
  private readonly shown = new Map<string, HTMLElement>()

  constructor(place: HTMLElement) {
    this.place = place
  }

  /**
   * @param about one notice is shown about the same thing
   * @param kind `problem`: something did not work
   */
  show(about: string, words: string, choices: Choice[] = [], kind: 'news' | 'problem' = 'news'): void {
    const notice = document.createElement('div')
    notice.className = kind === 'problem' ? 'problem' : 'notice'
    notice.role = kind === 'problem' ? 'alert' : 'status'
    const line = document.createElement('p')
    line.textContent = words
    notice.append(line, ...choices.map((choice) => button(choice, () => this.clear(about))))
    this.clear(about)
    this.shown.set(about, notice)
    this.place.append(notice)
  }

  clear(about: string): void {
    this.shown.get(about)?.remove()
    this.shown.delete(about)
  }

  /** Whether just this is shown already: it is not announced a second time. */
  isShowing(about: string, words: string): boolean {
    return this.shown.get(about)?.querySelector('p')?.textContent === words
  }

  has(about: string): boolean {
    return this.shown.has(about)
  }
}

function button({ words, action: run }: Choice, done: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = 'small second'
  made.textContent = words
  made.addEventListener('click', () => {
    done()
    run()
  })
  return made
}
