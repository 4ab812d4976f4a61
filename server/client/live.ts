import { Idiomorph } from 'idiomorph'
import { call, redirectToSignIn } from './api.ts'
import { isErrorNode, removeOrphanErrors } from './feedback.ts'
import { isDirty, isFieldDirty } from './form-state.ts'
import { localizePage, localizeTimes } from './time.ts'

export interface LiveEvent {
  type: string
  roomId?: string
  projectId?: string
  docId?: string
  [field: string]: unknown
}

type Topic =
  | `${'room' | 'document' | 'here' | 'project' | 'board' | 'docs' | 'member'}:${string}`
  | 'workspace'
  | 'presence'

interface Follows {
  /** Ids of rooms, projects and documents; `*` for every event. */
  events: string[]
  /** Changes that are not events. */
  topics: Topic[]
}

const { body } = document
const follows: Follows = JSON.parse(body.dataset.follows ?? '{"events":[],"topics":[]}')

/** What changes the sidebar of every page. */
const sidebarTopics: readonly Topic[] = ['workspace', `member:${body.dataset.member}`]

/** Returns false if the whole page must be fetched. */
type PartialUpdate = (events: LiveEvent[], topics: Topic[], sequence: number) => Promise<boolean>
let updateParts: PartialUpdate = () => Promise.resolve(false)

/** Lets changes update parts of the page instead of all of it. */
export function setPartialUpdate(update: PartialUpdate): void {
  updateParts = update
}

interface PageVersion {
  cursor: string | undefined
  sequence: number
}

const versionOf = ({ dataset: { cursor, touched } }: HTMLElement): PageVersion => ({
  cursor,
  sequence: Number(touched ?? -1),
})

/** Of the whole page fetched last. */
let shownVersion = versionOf(body)

type Listener = (events: LiveEvent[], topics: Topic[]) => void
const listeners: Listener[] = []

/** Calls `listener` with all events that the reader may see, before the page is updated. */
export function onEvents(listener: Listener): void {
  listeners.push(listener)
}

const enhancers: ((within: ParentNode) => void)[] = [localizeTimes]

/** Runs now, and for each updated part. */
export function onRender(enhance: (within: ParentNode) => void): void {
  enhancers.push(enhance)
  enhance(document)
}

const preparers: ((within: HTMLElement) => void)[] = []

/** Runs on fetched elements before they are compared with those shown. */
export function onBeforeMorph(prepare: (within: HTMLElement) => void): void {
  preparers.push(prepare)
}

let getFetchUrl = () => location.pathname + location.search

/** Fetches the page by another URL, which names the range that is shown. */
export function setFetchUrl(address: () => string): void {
  getFetchUrl = address
}

const waitSeconds = 25
const retryMs = [500, 1000, 2000, 5000, 10_000]

/** Follows events while the page is visible. A page that becomes visible again catches up. */
export async function startLiveUpdates(): Promise<void> {
  localizePage()
  if (body.dataset.cursor === undefined) return
  let cursor = body.dataset.cursor
  let touched = body.dataset.touched ?? ''
  let failures = 0
  for (;;) {
    await untilVisible()
    try {
      const query = new URLSearchParams({
        since: cursor,
        wait: String(waitSeconds),
        self: 'include',
        includeOwn: '1',
        touch: [...new Set([...sidebarTopics, ...follows.topics])].join(','),
        touched,
      })
      const { headers, text } = await call('GET', `/v1/events?${query}`, { signal: untilHidden() })
      failures = 0
      touched = headers.get('X-Service-Touches') ?? touched
      const topics = (headers.get('X-Service-Touched') ?? '')
        .split(',')
        .filter((topic) => topic !== '') as Topic[]
      const parsed = JSON.parse(text) as { events: LiveEvent[] }
      // Parsed as a number, the cursor could lose digits.
      cursor = /"cursor":([\d.]+)\}?\s*$/.exec(text)?.[1] ?? cursor
      dispatch(parsed.events, topics, { cursor, sequence: Number(touched) })
    } catch (error) {
      if ((error as Error).name === 'AbortError') continue
      await pause(retryMs[Math.min(failures, retryMs.length - 1)]!)
      failures += 1
    }
  }
}

function dispatch(events: LiveEvent[], topics: Topic[], version: PageVersion): void {
  if (events.length === 0 && topics.length === 0) return
  for (const listener of listeners) listener(events, topics)
  const concerns = ({ roomId, projectId, docId }: LiveEvent) =>
    follows.events.includes('*') ||
    [roomId, projectId, docId].some((id) => id !== undefined && follows.events.includes(id))
  if (events.some(concerns) || topics.some((topic) => follows.topics.includes(topic)))
    void update(events, topics, version)
  else refreshNavigation()
}

async function update(events: LiveEvent[], topics: Topic[], version: PageVersion): Promise<void> {
  await untilResumed()
  const isDone = await updateParts(events, topics, version.sequence).catch(() => false)
  if (isDone) refreshNavigation()
  else if (!(await isShown(events, version))) await refresh()
}

/** A write is reported as an event and as a changed topic; the page fetched for one may already show the other. */
async function isShown(events: LiveEvent[], { cursor, sequence }: PageVersion): Promise<boolean> {
  await refreshing?.catch(() => {})
  return shownVersion.sequence >= sequence && (events.length === 0 || shownVersion.cursor === cursor)
}

function untilVisible(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve()
  return new Promise((resolve) => {
    const check = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
  })
}

let hiddenController = new AbortController()
document.addEventListener('visibilitychange', () => hiddenController.abort())

/** Browsers limit connections per server, so hidden pages release theirs. */
function untilHidden(): AbortSignal {
  hiddenController = new AbortController()
  return hiddenController.signal
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const minIntervalMs = 200
let refreshing: Promise<void> | null = null
let isStale = false
let updatedAtMs = 0

let pauses = 0
let resumeCallbacks: (() => void)[] = []

/** Pauses updates until the returned function is called, such as while a card is dragged. */
export function pauseUpdates(): () => void {
  pauses += 1
  let isActive = true
  return () => {
    if (!isActive) return
    isActive = false
    pauses -= 1
    if (pauses > 0) return
    for (const resume of resumeCallbacks) resume()
    resumeCallbacks = []
  }
}

export const untilResumed = (): Promise<void> | undefined =>
  pauses === 0 ? undefined : new Promise((resolve) => resumeCallbacks.push(resolve))

/** Shows the reader's own change, by parts if possible. */
export async function showOwnChange(): Promise<void> {
  const isDone = await updateParts([], [], Number.POSITIVE_INFINITY).catch(() => false)
  if (!isDone) await refresh()
}

export function refresh(): Promise<void> {
  isStale = true
  refreshing ??= (async () => {
    while (isStale) {
      await pause(Math.max(0, updatedAtMs + minIntervalMs - performance.now()))
      await untilResumed()
      isStale = false
      const fetched = await fetchPage(getFetchUrl())
      // The reader may have begun to drag something meanwhile.
      if (pauses > 0) isStale = true
      else if (fetched) show(fetched)
      updatedAtMs = performance.now()
    }
  })().finally(() => {
    refreshing = null
  })
  return refreshing
}

let navigationTimer: ReturnType<typeof setTimeout> | undefined

function refreshNavigation(): void {
  clearTimeout(navigationTimer)
  navigationTimer = setTimeout(async () => {
    const fetched = await fetchPage(`/navigation?at=${encodeURIComponent(location.pathname)}`, navigationTag)
    if (!fetched) return
    navigationTag = fetched.tag
    const wasListed = isPageListed()
    show(fetched)
    // The reader may no longer be allowed to see the page, and receives no further events about it.
    if (wasListed && !isPageListed()) void refresh()
  }, minIntervalMs)
}

const isPageListed = () => document.querySelector('#navigation [aria-current]') !== null

/** The sidebar's last ETag; null after a refresh of the whole page. */
let navigationTag: string | null = null

interface FetchedPage {
  fetched: Document
  /** The reader may no longer see anything at this URL. */
  isGone: boolean
  tag: string | null
}

/**
 * Repeats a request that fails, since a change is reported once.
 * @param tag of the version already shown
 * @returns null if it is unchanged, or cannot be fetched
 */
export async function fetchPage(path: string, tag: string | null = null): Promise<FetchedPage | null> {
  const headers = { Accept: 'text/html', ...(tag !== null && { 'If-None-Match': tag }) }
  for (let failures = 0; ; failures++) {
    const response = await fetch(path, { headers }).catch(() => null)
    const text = await response?.text().catch(() => null)
    const isReceived = response && typeof text === 'string'
    if (isReceived && !isTemporary(response.status)) return pageIn(response, text)
    // A server that cannot be reached reports nothing either; one that keeps failing would get ever more requests.
    if (isReceived && failures === retryMs.length) return null
    await pause(retryMs[Math.min(failures, retryMs.length - 1)]!)
    await untilVisible()
  }
}

const isTemporary = (status: number) => status === 429 || status >= 500

function pageIn(response: Response, text: string): FetchedPage | null {
  if (response.redirected && new URL(response.url).pathname === '/signin') {
    redirectToSignIn()
    return null
  }
  const isGone = response.status === 404 || response.status === 403
  if (!response.ok && !isGone) return null
  const fetched = new DOMParser().parseFromString(text, 'text/html')
  return { fetched, isGone, tag: response.headers.get('ETag') }
}

function show({ fetched, isGone }: FetchedPage): void {
  const restorePosition = keepScrollPosition()
  const isFullPage = fetched.querySelector('main') !== null
  if (isFullPage) {
    navigationTag = null
    body.dataset.touched = fetched.body.dataset.touched ?? body.dataset.touched
    shownVersion = versionOf(fetched.body)
  }
  if (isFullPage && needsOtherScript(fetched, isGone)) location.replace(getFetchUrl())
  else if (isGone) {
    // If the page returns, its script starts anew.
    delete document.documentElement.dataset.pageKind
    morph(document.querySelector('main')!, fetched.querySelector('main')!)
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
    const next = fetched.getElementById(element.id)
    if (next) morph(element, next)
  }
  restorePosition()
  if (isFullPage && fetched.title) document.title = fetched.title
}

const pageKindOf = (page: Document) => page.documentElement.dataset.pageKind

/**
 * Whether another kind of page, with its own script, is at this URL now. An error replaces only the content, except
 * in a room, whose script needs the room. An editor stays, since it may hold text that is not saved.
 */
function needsOtherScript(fetched: Document, isGone: boolean): boolean {
  const shownKind = pageKindOf(document)
  if (shownKind === pageKindOf(fetched) || shownKind === 'editor') return false
  return !isGone || shownKind === 'room'
}

/** Turns an element of the page into a fetched one. */
export function morph(element: HTMLElement, next: HTMLElement): void {
  if (element.isEqualNode(next)) return
  const { id } = element
  const imported = document.importNode(next, true)
  localizeTimes(imported)
  for (const prepare of preparers) prepare(imported)
  Idiomorph.morph(element, imported, {
    morphStyle: 'outerHTML',
    // Idiomorph would also keep the text of a focused button.
    ignoreActiveValue: document.activeElement?.matches('input, select, textarea') ?? false,
    callbacks: {
      // A changed form keeps its values, and the state on which they are based.
      beforeNodeMorphed: (node: Node) => !isPreserved(node) && !isDirty(node) && !isFieldDirty(node),
      beforeNodeRemoved: (node: Node) => !isPreserved(node) && !isErrorNode(node),
      // The reader decides what is expanded.
      beforeAttributeUpdated: (name: string, node: Element) =>
        !(name === 'open' && (node.localName === 'details' || node.localName === 'dialog')),
    },
  })
  removeOrphanErrors()
  enhanceAll(document.getElementById(id) ?? document)
}

/** @param before null: at the end */
export function insert(parent: HTMLElement, next: HTMLElement, before: Element | null = null): void {
  const added = document.importNode(next, true)
  parent.insertBefore(added, before)
  enhanceAll(added)
}

function enhanceAll(within: ParentNode): void {
  for (const enhance of enhancers) enhance(within)
}

const isPreserved = (node: Node): boolean => node instanceof HTMLElement && node.dataset.keep !== undefined

/** Keeps what is being read in place when content above it changes. @returns restores the position */
export function keepScrollPosition(): () => void {
  const x = Math.min(innerWidth / 2, innerWidth - 1)
  const elements = [0.2, 0.4, 0.6, 0.8].flatMap((fraction) =>
    document.elementsFromPoint(x, innerHeight * fraction),
  )
  // Prefers an element inside a live part, whose top does not move when content is added to it.
  const findClosest = (selector: string) =>
    elements.map((element) => element.closest<HTMLElement>(selector)).find((one) => one)
  const anchor = findClosest('main [id]:not([data-live])') ?? findClosest('main [id]')
  const top = anchor?.getBoundingClientRect().top
  return () => {
    const current = anchor && document.getElementById(anchor.id)
    if (!current || top === undefined) return
    const shift = current.getBoundingClientRect().top - top
    if (Math.abs(shift) >= 1) scrollBy({ top: shift, behavior: 'instant' })
  }
}
