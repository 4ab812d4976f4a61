export interface Suggestion {
  label: string
  hint?: string
  text: string
  onTake?(): void
}

export interface CompletionSource {
  /** What the suggestions are, for screen readers. */
  label: string
  /** Matches the text before the caret. Its first group is the query. */
  pattern: RegExp
  /** Returns the best suggestions first. */
  find(query: string, field: HTMLTextAreaElement): Promise<readonly Suggestion[]>
}

export const maxSuggestions = 8

const completions = new WeakMap<HTMLTextAreaElement, Completion>()

/** Can be called again with further sources. */
export function offerCompletions(field: HTMLTextAreaElement, sources: readonly CompletionSource[]): void {
  const completion = completions.get(field) ?? new Completion(field)
  completions.set(field, completion)
  completion.add(sources)
}

interface Typed {
  source: CompletionSource
  start: number
  query: string
}

let lists = 0

class Completion {
  private readonly field: HTMLTextAreaElement
  private readonly list = document.createElement('ul')
  private readonly sources: CompletionSource[] = []
  private offered: readonly Suggestion[] = []
  private chosen = 0
  /** The start of the text for which the list was closed. */
  private leftAt = -1

  constructor(field: HTMLTextAreaElement) {
    this.field = field
    lists += 1
    this.list.id = `completion-${lists}`
    this.list.className = 'completion'
    this.list.role = 'listbox'
    this.list.hidden = true
    this.list.dataset.keep = ''
    field.before(this.list)
    this.listen()
  }

  add(sources: readonly CompletionSource[]): void {
    for (const source of sources) if (!this.sources.includes(source)) this.sources.push(source)
  }

  private listen(): void {
    const { field, list } = this
    field.addEventListener('input', (event) => {
      if (!(event as InputEvent).isComposing) void this.look()
    })
    field.addEventListener('click', () => void this.look())
    field.addEventListener('blur', () => this.close())
    // Before the handler that sends the text on Enter.
    field.addEventListener('keydown', (event) => this.key(event), { capture: true })
    list.addEventListener('pointerdown', (event) => event.preventDefault())
    list.addEventListener('click', (event) => {
      const option = (event.target as Element).closest('[role="option"]')
      if (option) this.take([...list.children].indexOf(option))
    })
  }

  private key(event: KeyboardEvent): void {
    if (this.list.hidden || event.isComposing) return
    const { key } = event
    if (key === 'ArrowDown' && !event.altKey) this.choose(this.chosen + 1)
    else if (key === 'ArrowUp' && !event.altKey) this.choose(this.chosen - 1)
    else if (key === 'Enter' || key === 'Tab') this.take(this.chosen)
    else if (key === 'Escape') {
      this.leftAt = this.typed()?.start ?? -1
      this.close()
    } else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  private typed(): Typed | null {
    const { selectionStart: caret, selectionEnd, value } = this.field
    if (caret !== selectionEnd) return null
    const before = value.slice(0, caret)
    for (const source of this.sources) {
      const found = source.pattern.exec(before)
      if (found) return { source, start: found.index, query: found[1] ?? '' }
    }
    return null
  }

  private async look(): Promise<void> {
    const { field } = this
    const typed = this.typed()
    if (typed?.start === this.leftAt) return this.close()
    this.leftAt = -1
    if (!typed) return this.close()
    const { value, selectionStart } = field
    const found = await typed.source.find(typed.query, field).catch(() => [])
    // Further input was handled by a later call.
    if (field.value !== value || field.selectionStart !== selectionStart) return
    if (document.activeElement !== field) return
    this.offered = found.slice(0, maxSuggestions)
    if (this.offered.length === 0) this.close()
    else this.show(typed.source)
  }

  private show({ label }: CompletionSource): void {
    const { field, list } = this
    list.ariaLabel = label
    list.replaceChildren(...this.offered.map((one, place) => optionOf(one, `${list.id}-${place}`)))
    list.hidden = false
    list.classList.toggle('below', field.getBoundingClientRect().top < list.offsetHeight + 72)
    field.role = 'combobox'
    field.ariaExpanded = 'true'
    field.setAttribute('aria-controls', list.id)
    field.setAttribute('aria-autocomplete', 'list')
    this.choose(0)
  }

  private close(): void {
    this.list.hidden = true
    this.field.removeAttribute('role')
    for (const name of ['aria-expanded', 'aria-controls', 'aria-activedescendant', 'aria-autocomplete'])
      this.field.removeAttribute(name)
  }

  private choose(place: number): void {
    this.chosen = (place + this.offered.length) % this.offered.length
    for (const [index, option] of [...this.list.children].entries()) {
      option.ariaSelected = String(index === this.chosen)
      if (index === this.chosen) option.scrollIntoView({ block: 'nearest' })
    }
    this.field.setAttribute('aria-activedescendant', `${this.list.id}-${this.chosen}`)
  }

  private take(place: number): void {
    const { field } = this
    const typed = this.typed()
    const taken = this.offered[place]
    if (!typed || !taken) {
      this.close()
      return
    }
    const caret = field.selectionStart
    const space = /^\s/.test(field.value.slice(caret)) ? '' : ' '
    field.setRangeText(taken.text + space, typed.start, caret, 'end')
    this.leftAt = typed.start
    taken.onTake?.()
    this.close()
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
}

function optionOf({ label, hint = '' }: Suggestion, id: string): HTMLElement {
  const option = document.createElement('li')
  option.id = id
  option.role = 'option'
  const name = document.createElement('bdi')
  name.textContent = label
  const aside = document.createElement('small')
  aside.textContent = hint
  option.append(name, aside)
  return option
}

/** Names that begin with the text precede those in which another word does. */
export function matching<T>(all: readonly T[], written: string, nameOf: (one: T) => string): T[] {
  const sought = written.toLowerCase()
  const begins = all.filter((one) => nameOf(one).toLowerCase().startsWith(sought))
  const within = all.filter(
    (one) =>
      !begins.includes(one) &&
      nameOf(one)
        .toLowerCase()
        .split(/[\s_-]+/)
        .some((word) => word.startsWith(sought)),
  )
  return [...begins, ...within].slice(0, maxSuggestions)
}
