import { Idiomorph } from 'idiomorph'
import { ApiError, type ApiResponse, call, errorText } from '../api.ts'
import { type Unreached, unreachedIn } from '../unreached.ts'
import type { EditorDetails } from './editor-details.ts'

const debounceMs = 250
/** During continuous typing, the preview is updated this often. */
const maxWaitMs = 1000
const retryMs = 2000
/** Less often for others' changes: everyone who has the text open requests it. */
const remoteDelayMs = 1500

const folders: Record<EditorDetails['kind'], string> = {
  document: 'documents',
  draft: 'drafts',
  post: 'drafts',
  card: 'board',
}

/** Shows the text as the server renders it, one request at a time. */
export class Preview {
  private readonly container: HTMLElement
  private readonly getUrl: () => string
  private readonly getText: () => string
  private isStale = false
  private isBusy = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private waitingSinceMs: number | null = null
  private renderedText: string | null = null
  private readonly onUnreached: (unreached: readonly Unreached[]) => void

  constructor(
    container: HTMLElement,
    source: { details: EditorDetails; text(): string; subFolder(): string },
    onUnreached: (unreached: readonly Unreached[]) => void,
  ) {
    this.container = container
    this.onUnreached = onUnreached
    this.getText = source.text
    this.getUrl = () => {
      const { details } = source
      const query = new URLSearchParams({ folder: folders[details.kind] })
      if (details.id !== null) query.set('id', details.id)
      else if (source.subFolder() !== '') query.set('in', source.subFolder())
      return `/projects/${encodeURIComponent(details.project)}/preview?${query}`
    }
    container.addEventListener('click', (event) => this.openLink(event))
  }

  schedule(ms = debounceMs): void {
    this.isStale = true
    const now = performance.now()
    this.waitingSinceMs ??= now
    const remainingMs = Math.max(0, this.waitingSinceMs + maxWaitMs - now)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.render(), ms > debounceMs ? ms : Math.min(ms, remainingMs))
  }

  scheduleForRemote(): void {
    this.isStale = true
    this.timer ??= setTimeout(() => void this.render(), remoteDelayMs)
  }

  private async render(): Promise<void> {
    this.timer = undefined
    // Not while hidden.
    if (this.isBusy || !this.isStale || this.container.offsetParent === null) return
    this.isBusy = true
    this.isStale = false
    this.waitingSinceMs = null
    const text = this.getText()
    const isRendered = text === this.renderedText || (await this.show(text))
    this.isBusy = false
    if (!isRendered) this.schedule(retryMs)
    else if (this.isStale) this.schedule()
  }

  /** Returns mentioned members who would not be notified; none if unknown. */
  unreached(): Promise<readonly Unreached[]> {
    return this.request(this.getText()).then(unreachedIn, () => [])
  }

  private request(text: string): Promise<ApiResponse> {
    const headers = { 'Content-Type': 'text/markdown; charset=utf-8' }
    return call('POST', this.getUrl(), { body: text, headers })
  }

  /** Returns false if it can be retried. */
  private async show(text: string): Promise<boolean> {
    try {
      const response = await this.request(text)
      const { json } = response
      this.onUnreached(unreachedIn(response))
      const { body } = new DOMParser().parseFromString(String(json.html), 'text/html')
      Idiomorph.morph(this.container, [...body.childNodes], { morphStyle: 'innerHTML' })
      this.renderedText = text
      return true
    } catch (error) {
      const problem = document.createElement('p')
      problem.className = 'hint'
      problem.textContent = `Preview failed. ${errorText(error)}`
      this.container.replaceChildren(problem)
      this.renderedText = null
      return error instanceof ApiError && error.status < 500
    }
  }

  private openLink(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (!link) return
    event.preventDefault()
    const anchor = link.getAttribute('href')!
    if (anchor.startsWith('#'))
      this.container.querySelector(`[id="${CSS.escape(anchor.slice(1))}"]`)?.scrollIntoView()
    else open(link.href, '_blank', 'noopener')
  }
}
