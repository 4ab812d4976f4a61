export interface Suggestion {
  label: string
  hint?: string
  text: string
  onAccept?(): void
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

interface QueryMatch {
  source: CompletionSource
  start: number
  query: string
}

let listCount = 0

class Completion {
  private readonly field: HTMLTextAreaElement
  private readonly list = document.createElement('ul')
  private readonly sources: CompletionSource[] = []
  private suggestions: readonly Suggestion[] = []
  private selectedIndex = 0
  /** The start of the text for which the list was closed. */
  private dismissedStart = -1

  constructor(field: HTMLTextAreaElement) {
    this.field = field
    listCount += 1
    this.list.id = `completion-${listCount}`
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
      if (!(event as InputEvent).isComposing) void this.update()
    })
    field.addEventListener('click', () => void this.update())
    field.addEventListener('blur', () => this.close())
    // Before the handler that sends the text on Enter.
    field.addEventListener('keydown', (event) => this.handleKey(event), { capture: true })
    list.addEventListener('pointerdown', (event) => event.preventDefault())
    list.addEventListener('click', (event) => {
      const option = (event.target as Element).closest('[role="option"]')
      if (option) this.accept([...list.children].indexOf(option))
    })
  }

  private handleKey(event: KeyboardEvent): void {
    if (this.list.hidden || event.isComposing) return
    const { key } = event
    if (key === 'ArrowDown' && !event.altKey) this.select(this.selectedIndex + 1)
    else if (key === 'ArrowUp' && !event.altKey) this.select(this.selectedIndex - 1)
    else if (key === 'Enter' || key === 'Tab') this.accept(this.selectedIndex)
    else if (key === 'Escape') {
      this.dismissedStart = this.matchBeforeCaret()?.start ?? -1
      this.close()
    } else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  private matchBeforeCaret(): QueryMatch | null {
    const { selectionStart: caret, selectionEnd, value } = this.field
    if (caret !== selectionEnd) return null
    const before = value.slice(0, caret)
    for (const source of this.sources) {
      const found = source.pattern.exec(before)
      if (found) return { source, start: found.index, query: found[1] ?? '' }
    }
    return null
  }

  private async update(): Promise<void> {
    const { field } = this
    const match = this.matchBeforeCaret()
    if (match?.start === this.dismissedStart) return this.close()
    this.dismissedStart = -1
    if (!match) return this.close()
    const { value, selectionStart } = field
    const found = await match.source.find(match.query, field).catch(() => [])
    // Further input was handled by a later call.
    if (field.value !== value || field.selectionStart !== selectionStart) return
    if (document.activeElement !== field) return
    this.suggestions = found.slice(0, maxSuggestions)
    if (this.suggestions.length === 0) this.close()
    else this.show(match.source)
  }

  private show({ label }: CompletionSource): void {
    const { field, list } = this
    list.ariaLabel = label
    list.replaceChildren(...this.suggestions.map((one, index) => optionOf(one, `${list.id}-${index}`)))
    list.hidden = false
    list.classList.toggle('below', field.getBoundingClientRect().top < list.offsetHeight + 72)
    field.role = 'combobox'
    field.ariaExpanded = 'true'
    field.setAttribute('aria-controls', list.id)
    field.setAttribute('aria-autocomplete', 'list')
    this.select(0)
  }

  private close(): void {
    this.list.hidden = true
    this.field.removeAttribute('role')
    for (const name of ['aria-expanded', 'aria-controls', 'aria-activedescendant', 'aria-autocomplete'])
      this.field.removeAttribute(name)
  }

  private select(index: number): void {
    this.selectedIndex = (index + this.suggestions.length) % this.suggestions.length
    for (const [optionIndex, option] of [...this.list.children].entries()) {
      option.ariaSelected = String(optionIndex === this.selectedIndex)
      if (optionIndex === this.selectedIndex) option.scrollIntoView({ block: 'nearest' })
    }
    this.field.setAttribute('aria-activedescendant', `${this.list.id}-${this.selectedIndex}`)
  }

  private accept(index: number): void {
    const { field } = this
    const match = this.matchBeforeCaret()
    const suggestion = this.suggestions[index]
    if (!match || !suggestion) {
      this.close()
      return
    }
    const caret = field.selectionStart
    const space = /^\s/.test(field.value.slice(caret)) ? '' : ' '
    field.setRangeText(suggestion.text + space, match.start, caret, 'end')
    this.dismissedStart = match.start
    suggestion.onAccept?.()
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
export function findMatches<T>(all: readonly T[], query: string, nameOf: (one: T) => string): T[] {
  const prefix = query.toLowerCase()
  const nameMatches = all.filter((one) => nameOf(one).toLowerCase().startsWith(prefix))
  const wordMatches = all.filter(
    (one) =>
      !nameMatches.includes(one) &&
      nameOf(one)
        .toLowerCase()
        .split(/[\s_-]+/)
        .some((word) => word.startsWith(prefix)),
  )
  return [...nameMatches, ...wordMatches].slice(0, maxSuggestions)
}
