import { Idiomorph } from 'idiomorph'
import { ApiError, type ApiResponse, call, errorText } from '../api.ts'
import { type Unreached, unreachedIn } from '../unreached.ts'
import type { EditorDetails } from './editor-details.ts'

const afterMs = 250
/** During continuous typing, the preview is updated this often. */
const maxWaitMs = 1000
const retryMs = 2000
/** Less often for others' changes: everyone who has the text open requests it. */
const othersMs = 1500

const folders: Record<EditorDetails['kind'], string> = {
  document: 'documents',
  draft: 'drafts',
  post: 'drafts',
  card: 'board',
}

/** Shows the text as the server renders it, one request at a time. */
export class Preview {
  private readonly place: HTMLElement
  private readonly addressOf: () => string
  private readonly textOf: () => string
  private isWanted = false
  private isBusy = false
  private timer: ReturnType<typeof setTimeout> | undefined
  private waitingSinceMs: number | null = null
  private shown: string | null = null
  private readonly lastError: (unreached: readonly Unreached[]) => void

  constructor(
    place: HTMLElement,
    source: { details: EditorDetails; text(): string; subFolder(): string },
    told: (unreached: readonly Unreached[]) => void,
  ) {
    this.place = place
    this.lastError = told
    this.textOf = source.text
    this.addressOf = () => {
      const { details } = source
      const query = new URLSearchParams({ folder: folders[details.kind] })
      if (details.id !== null) query.set('id', details.id)
      else if (source.subFolder() !== '') query.set('in', source.subFolder())
      return `/projects/${encodeURIComponent(details.project)}/preview?${query}`
    }
    place.addEventListener('click', (event) => this.follow(event))
  }

  schedule(ms = afterMs): void {
    this.isWanted = true
    const now = performance.now()
    this.waitingSinceMs ??= now
    const leftMs = Math.max(0, this.waitingSinceMs + maxWaitMs - now)
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.render(), ms > afterMs ? ms : Math.min(ms, leftMs))
  }

  othersWrote(): void {
    this.isWanted = true
    this.timer ??= setTimeout(() => void this.render(), othersMs)
  }

  private async render(): Promise<void> {
    this.timer = undefined
    // Not while hidden.
    if (this.isBusy || !this.isWanted || this.place.offsetParent === null) return
    this.isBusy = true
    this.isWanted = false
    this.waitingSinceMs = null
    const text = this.textOf()
    const isShown = text === this.shown || (await this.show(text))
    this.isBusy = false
    if (!isShown) this.schedule(retryMs)
    else if (this.isWanted) this.schedule()
  }

  /** Returns mentioned members who would not be notified; none if unknown. */
  unreached(): Promise<readonly Unreached[]> {
    return this.ask(this.textOf()).then(unreachedIn, () => [])
  }

  private ask(text: string): Promise<ApiResponse> {
    const headers = { 'Content-Type': 'text/markdown; charset=utf-8' }
    return call('POST', this.addressOf(), { body: text, headers })
  }

  /** Returns false if it can be retried. */
  private async show(text: string): Promise<boolean> {
    try {
      const answer = await this.ask(text)
      const { json } = answer
      this.lastError(unreachedIn(answer))
      const { body } = new DOMParser().parseFromString(String(json.html), 'text/html')
      Idiomorph.morph(this.place, [...body.childNodes], { morphStyle: 'innerHTML' })
      this.shown = text
      return true
    } catch (error) {
      const problem = document.createElement('p')
      problem.className = 'hint'
      problem.textContent = `Preview failed. ${errorText(error)}`
      this.place.replaceChildren(problem)
      this.shown = null
      return error instanceof ApiError && error.status < 500
    }
  }

  private follow(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]')
    if (!link) return
    event.preventDefault()
    const anchor = link.getAttribute('href')!
    if (anchor.startsWith('#'))
      this.place.querySelector(`[id="${CSS.escape(anchor.slice(1))}"]`)?.scrollIntoView()
    else open(link.href, '_blank', 'noopener')
  }
}
