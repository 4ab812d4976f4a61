import { createButton } from '../button.ts'

export interface Choice {
  label: string
  action(): void
}

/** Messages above the text, each with possible actions. */
export class Notices {
  private readonly byTopic = new Map<string, HTMLElement>()

  constructor(private readonly container: HTMLElement) {}

  /** @param topic identifies the subject; a newer notice about it replaces an older one */
  show(topic: string, message: string, choices: Choice[] = [], kind: 'info' | 'problem' = 'info'): void {
    const notice = document.createElement('div')
    notice.className = kind === 'problem' ? 'problem' : 'notice'
    notice.role = kind === 'problem' ? 'alert' : 'status'
    const paragraph = document.createElement('p')
    paragraph.textContent = message
    notice.append(paragraph, ...choices.map((choice) => button(choice, () => this.clear(topic))))
    this.clear(topic)
    this.byTopic.set(topic, notice)
    this.container.append(notice)
  }

  clear(topic: string): void {
    this.byTopic.get(topic)?.remove()
    this.byTopic.delete(topic)
  }

  /** Lets callers avoid announcing the same message twice. */
  isShowing(topic: string, message: string): boolean {
    return this.byTopic.get(topic)?.querySelector('p')?.textContent === message
  }

  has(topic: string): boolean {
    return this.byTopic.has(topic)
  }
}

function button({ label, action: run }: Choice, onChosen: () => void): HTMLButtonElement {
  return createButton(label, 'small second', () => {
    onChosen()
    run()
  })
}
