export interface Choice {
  words: string
  action(): void
}

/** Messages above the text, each with possible actions. */
export class Notices {
  private readonly place: HTMLElement
  private readonly shown = new Map<string, HTMLElement>()

  constructor(place: HTMLElement) {
    this.place = place
  }

  /** @param about identifies the subject; a newer notice about it replaces an older one */
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

  /** Lets callers avoid announcing the same message twice. */
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
