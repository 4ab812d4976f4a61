import { type FinderItem, findItems, loadDefaultItems } from './finder-items.ts'
import { recordPage } from './recent-pages.ts'
import { isTextInput } from './text-input.ts'

const debounceMs = 120

/** The search field of every page, opened by `/` and Ctrl K. */
export function startFinder(): void {
  const form = document.querySelector<HTMLFormElement>('form.finder')!
  const field = form.querySelector<HTMLInputElement>('input[name="q"]')!
  const finder = new Finder(form, field)
  recordPage()
  document.addEventListener('keydown', (event) => {
    const isShortcut = isSlash(event) || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')
    if (!isShortcut || event.defaultPrevented || (event.key === '/' && isTextInput(event.target))) return
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
  private request = new AbortController()
  private active = 0
  /** Receives the focus back. */
  private previousFocus: Element | null = null
  /** Whether the results are outdated. */
  private isOutdated = false
  /** Whether Enter waits for the results. */
  private isEnterPending = false

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
    field.addEventListener('keydown', (event) => this.handleKey(event))
    field.addEventListener('focus', ({ relatedTarget }) => {
      this.previousFocus = relatedTarget as Element | null
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

  private debounce(ms = debounceMs): void {
    clearTimeout(this.timer)
    this.request.abort()
    this.isOutdated = true
    this.timer = setTimeout(() => void this.find(), ms)
  }

  private async find(): Promise<void> {
    const query = this.field.value.trim()
    this.request = new AbortController()
    const { signal } = this.request
    const items = await (query === '' ? loadDefaultItems(signal) : findItems(query, signal))
    if (signal.aborted) return
    this.isOutdated = false
    if (items === null) this.close()
    else this.show(items, query)
    if (this.isEnterPending) this.enter()
  }

  private show(items: readonly FinderItem[], query: string): void {
    this.list.replaceChildren(...items.map(option))
    this.list.hidden = items.length === 0
    this.list.ariaLabel = query === '' ? 'Recent pages and actions' : 'Results'
    this.field.ariaExpanded = String(items.length > 0)
    this.status.textContent = items.length === 0 ? 'No results' : `${items.length} found`
    this.select(0)
  }

  private select(index: number): void {
    this.active = index
    const options = [...this.list.children] as HTMLElement[]
    for (const [optionIndex, one] of options.entries()) one.ariaSelected = String(optionIndex === index)
    const active = options[index]
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
    this.request.abort()
    this.isOutdated = false
    this.isEnterPending = false
    this.list.hidden = true
    this.field.ariaExpanded = 'false'
    this.field.removeAttribute('aria-activedescendant')
  }

  private handleKey(event: KeyboardEvent): void {
    if (event.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      this.dismiss()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      this.enter()
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !this.list.hidden) {
      event.preventDefault()
      const count = this.list.children.length
      this.select((this.active + (event.key === 'ArrowDown' ? 1 : -1) + count) % count)
    }
  }

  /** Opens the chosen result, by default the first. */
  private enter(): void {
    this.isEnterPending = this.isOutdated
    if (this.isOutdated) return
    const selected = this.list.hidden
      ? undefined
      : (this.list.children[this.active] as HTMLElement | undefined)
    if (selected) location.assign(selected.dataset.path!)
    else if (this.field.value.trim() !== '') this.form.submit()
  }

  private dismiss(): void {
    this.close()
    this.field.value = ''
    const { previousFocus } = this
    if (previousFocus instanceof HTMLElement && previousFocus.isConnected)
      previousFocus.focus({ preventScroll: true })
    else this.field.blur()
  }
}

function option({ path, title, kind, about }: FinderItem, index: number): HTMLElement {
  const element = document.createElement('li')
  element.id = `found-${index}`
  element.role = 'option'
  element.dataset.path = path
  const name = document.createElement('bdi')
  name.textContent = title
  const detail = document.createElement('small')
  detail.textContent = about ? `${kind} · ${about}` : kind
  element.append(name, detail)
  // Keeps the focus in the field; losing it would close the list.
  element.addEventListener('pointerdown', (event) => event.preventDefault())
  element.addEventListener('click', () => location.assign(path))
  return element
}
