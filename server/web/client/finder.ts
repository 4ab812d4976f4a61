import { foundPlaces, type Suggestion, standingPlaces } from './found-places.ts'
import { recordPage } from './recent-pages.ts'
import { isTextInput } from './text-input.ts'

const pauseMs = 120

/** The search field of every page, opened by `/` and Ctrl K. */
export function start(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('input[name="q"]')!
  const finder = new Finder(form, field)
  recordPage()
  document.addEventListener('keydown', (event) => {
    const isAsked = isSlash(event) || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')
    if (!isAsked || event.defaultPrevented || (event.key === '/' && isTextInput(event.target))) return
    if (document.querySelector('dialog[open]')) return
    event.preventDefault()
    finder.open()
  })
}

const isSlash = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key === '/' && !ctrlKey && !metaKey && !altKey

class Finder {
  private readonly form: HTMLFormElement
  private readonly field: HTMLInputElement
  private readonly list = document.createElement('ul')
  private readonly status = document.createElement('p')
  private timer: ReturnType<typeof setTimeout> | undefined
  private asking = new AbortController()
  private active = 0
  /** Receives the focus back. */
  private before: Element | null = null
  /** Whether the results are outdated. */
  private isLooking = false
  /** Whether Enter waits for the results. */
  private isEntered = false

  constructor(form: HTMLFormElement, field: HTMLInputElement) {
    this.form = form
    this.field = field
    this.list.id = 'found'
    this.list.role = 'listbox'
    this.list.ariaLabel = 'Results'
    this.list.hidden = true
    this.status.className = 'unseen'
    this.status.role = 'status'
    form.append(this.list, this.status)
    field.role = 'combobox'
    field.setAttribute('aria-controls', this.list.id)
    field.setAttribute('aria-autocomplete', 'list')
    field.ariaExpanded = 'false'
    field.addEventListener('input', () => this.debounce())
    field.addEventListener('keydown', (event) => this.key(event))
    field.addEventListener('focus', ({ relatedTarget }) => {
      this.before = relatedTarget as Element | null
      this.debounce(0)
    })
    field.addEventListener('click', () => {
      if (this.list.hidden) this.debounce(0)
    })
    form.addEventListener('focusout', (event) => {
      if (!form.contains(event.relatedTarget as Node | null)) this.close()
    })
    // The field may have been used before this script was loaded.
    if (document.activeElement === field) this.debounce()
  }

  open(): void {
    if (document.activeElement === this.field) this.debounce(0)
    else this.field.focus()
    this.field.select()
  }

  private debounce(ms = pauseMs): void {
    clearTimeout(this.timer)
    this.asking.abort()
    this.isLooking = true
    this.timer = setTimeout(() => void this.find(), ms)
  }

  private async find(): Promise<void> {
    const query = this.field.value.trim()
    this.asking = new AbortController()
    const { signal } = this.asking
    const found = await (query === '' ? standingPlaces(signal) : foundPlaces(query, signal))
    if (signal.aborted) return
    this.isLooking = false
    if (found === null) this.close()
    else this.show(found, query)
    if (this.isEntered) this.enter()
  }

  private show(places: readonly Suggestion[], query: string): void {
    this.list.replaceChildren(...places.map(option))
    this.list.hidden = places.length === 0
    this.list.ariaLabel = query === '' ? 'Recent pages and actions' : 'Results'
    this.field.ariaExpanded = String(places.length > 0)
    this.status.textContent = places.length === 0 ? 'No results' : `${places.length} found`
    this.choose(0)
  }

  private choose(at: number): void {
    this.active = at
    const options = [...this.list.children] as HTMLElement[]
    for (const [index, one] of options.entries()) one.ariaSelected = String(index === at)
    const active = options[at]
    if (!active) {
      this.field.removeAttribute('aria-activedescendant')
      return
    }
    this.field.setAttribute('aria-activedescendant', active.id)
    active.scrollIntoView({ block: 'nearest' })
  }

  private close(): void {
    // A pending result would open it again.
    clearTimeout(this.timer)
    this.asking.abort()
    this.isLooking = false
    this.isEntered = false
    this.list.hidden = true
    this.field.ariaExpanded = 'false'
    this.field.removeAttribute('aria-activedescendant')
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      this.leave()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      this.enter()
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !this.list.hidden) {
      event.preventDefault()
      const count = this.list.children.length
      this.choose((this.active + (event.key === 'ArrowDown' ? 1 : -1) + count) % count)
    }
  }

  /** Opens the chosen result, by default the first. */
  private enter(): void {
    this.isEntered = this.isLooking
    if (this.isLooking) return
    const chosen = this.list.hidden ? undefined : (this.list.children[this.active] as HTMLElement | undefined)
    if (chosen) location.assign(chosen.dataset.path!)
    else if (this.field.value.trim() !== '') this.form.submit()
  }

  private leave(): void {
    this.close()
    this.field.value = ''
    const { before } = this
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    else this.field.blur()
  }
}

function option({ path, title, kind, about }: Suggestion, at: number): HTMLElement {
  const element = document.createElement('li')
  element.id = `found-${at}`
  element.role = 'option'
  element.dataset.path = path
  const name = document.createElement('bdi')
  name.textContent = title
  const words = document.createElement('small')
  words.textContent = about ? `${kind} · ${about}` : kind
  element.append(name, words)
  // Keeps the focus in the field; losing it would close the list.
  element.addEventListener('pointerdown', (event) => event.preventDefault())
  element.addEventListener('click', () => location.assign(path))
  return element
}
