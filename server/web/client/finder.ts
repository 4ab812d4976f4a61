import { call } from './api.ts'

interface Suggestion {
  path: string
  title: string
  kind: string
  about?: string
}

const pauseMs = 120
const maxSuggestions = 8

/** The search field of every page: it offers what is found as one types, and `/` or Ctrl-K leads to it. */
export function start(form: HTMLElement): void {
  const field = form.querySelector<HTMLInputElement>('input[name="q"]')!
  new Finder(form, field)
  document.addEventListener('keydown', (event) => {
    const isAsked = isSlash(event) || ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')
    if (!isAsked || event.defaultPrevented || (event.key === '/' && isTextInput(event.target))) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}

const isSlash = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key === '/' && !ctrlKey && !metaKey && !altKey

export const isTextInput = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/.test(target.localName))

class Finder {
  private readonly field: HTMLInputElement
  private readonly list = document.createElement('ul')
  private readonly status = document.createElement('p')
  private timer: ReturnType<typeof setTimeout> | undefined
  private asking = new AbortController()
  private active = -1

  constructor(form: HTMLElement, field: HTMLInputElement) {
    this.field = field
    this.list.id = 'found'
    this.list.role = 'listbox'
    this.list.ariaLabel = 'Found'
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
    form.addEventListener('focusout', (event) => {
      if (!form.contains(event.relatedTarget as Node | null)) this.close()
    })
    // The field may have been used before this was loaded.
    if (document.activeElement === field) this.debounce()
  }

  private debounce(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.find(), pauseMs)
  }

  private async find(): Promise<void> {
    const query = this.field.value.trim()
    this.asking.abort()
    if (query === '') return this.close()
    this.asking = new AbortController()
    const { signal } = this.asking
    // Of two questions one may be refused, as the words of a long sentence are: what the other found is shown.
    const answers = await Promise.allSettled([named(query, signal), searched(query, signal)])
    if (signal.aborted) return
    if (answers.every(({ status }) => status === 'rejected')) return this.close()
    this.show(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])))
  }

  private show(places: readonly Suggestion[]): void {
    this.active = -1
    this.field.removeAttribute('aria-activedescendant')
    this.list.replaceChildren(...places.map(option))
    this.list.hidden = places.length === 0
    this.field.ariaExpanded = String(places.length > 0)
    this.status.textContent = places.length === 0 ? 'No results' : `${places.length} found`
  }

  private close(): void {
    // What is still looked for would open it again.
    clearTimeout(this.timer)
    this.asking.abort()
    this.list.hidden = true
    this.field.ariaExpanded = 'false'
    this.field.removeAttribute('aria-activedescendant')
  }

  private key(event: KeyboardEvent): void {
    const options = [...this.list.children] as HTMLElement[]
    if (event.key === 'Escape') {
      if (this.list.hidden) this.field.blur()
      else event.preventDefault()
      this.close()
      return
    }
    if (this.list.hidden || options.length === 0) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      // Behind the last and before the first is the field itself.
      const count = options.length + 1
      this.active = ((this.active + 1 + step + count) % count) - 1
      for (const [at, one] of options.entries()) one.ariaSelected = String(at === this.active)
      const active = options[this.active]
      if (active) {
        this.field.setAttribute('aria-activedescendant', active.id)
        active.scrollIntoView({ block: 'nearest' })
      } else this.field.removeAttribute('aria-activedescendant')
    }
    const chosen = event.key === 'Enter' ? options[this.active] : undefined
    if (!chosen) return
    event.preventDefault()
    location.assign(chosen.dataset.path!)
  }
}

function option({ path, title, kind, about }: Suggestion, at: number): HTMLElement {
  const element = document.createElement('li')
  element.id = `found-${at}`
  element.role = 'option'
  element.ariaSelected = 'false'
  element.dataset.path = path
  const name = document.createElement('bdi')
  name.textContent = title
  const words = document.createElement('small')
  words.textContent = about ? `${kind} · ${about}` : kind
  element.append(name, words)
  // Before the field loses its focus, and with it the list.
  element.addEventListener('pointerdown', (event) => event.preventDefault())
  element.addEventListener('click', () => location.assign(path))
  return element
}

interface Named {
  kind: string
  title: string
  page: string
  where?: string
}

async function named(query: string, signal: AbortSignal): Promise<Suggestion[]> {
  const { json } = await call('GET', `/navigation/names?q=${encodeURIComponent(query)}`, { signal })
  return (json.named as Named[]).map(({ kind, title, page, where }) => ({
    path: page,
    title,
    kind,
    ...(where !== undefined && { about: where }),
  }))
}

interface Found {
  type: string
  title: string
  url: string
  snippet: string
}

async function searched(query: string, signal: AbortSignal): Promise<Suggestion[]> {
  const { json } = await call('GET', `/v1/search?q=${encodeURIComponent(query)}&limit=${maxSuggestions}`, {
    signal,
  })
  return (json.results as Found[]).map(({ type, title, url, snippet }) => {
    const { pathname, search, hash } = new URL(url, location.href)
    return {
      path: pathname + search + hash,
      title,
      kind: type[0]!.toUpperCase() + type.slice(1),
      about: snippet,
    }
  })
}
