import { Idiomorph } from 'idiomorph'
import { call, signInAgain } from './api.ts'
import { isDirty, isFieldDirty } from './form-state.ts'
import { isErrorNode, removeOrphanErrors } from './problem.ts'
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
  touches: Topic[]
}

const { body } = document
const follows: Follows = JSON.parse(body.dataset.follows ?? '{"events":[],"touches":[]}')

/** What changes the sidebar of every page. */
const sidebarTopics: readonly Topic[] = ['workspace', `member:${body.dataset.member}`]

/** Returns false if the whole page must be fetched. */
type PartialUpdate = (events: LiveEvent[], touched: Topic[], sequence: number) => Promise<boolean>
let updateParts: PartialUpdate = () => Promise.resolve(false)

/** Lets changes update parts of the page instead of all of it. */
export function setPartialUpdate(update: PartialUpdate): void {
  updateParts = update
}

interface Moment {
  cursor: string | undefined
  touched: number
}

const momentOf = ({ dataset: { cursor, touched } }: HTMLElement): Moment => ({
  cursor,
  touched: Number(touched ?? -1),
})

/** Of the whole page fetched last. */
let shownMoment = momentOf(body)

type Listener = (events: LiveEvent[], touched: Topic[]) => void
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

let addressOf = () => location.pathname + location.search

/** Fetches the page by another URL, which names the range that is shown. */
export function setFetchUrl(address: () => string): void {
  addressOf = address
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
    await inSight()
    try {
      const query = new URLSearchParams({
        since: cursor,
        wait: String(waitSeconds),
        self: 'include',
        includeOwn: '1',
        touch: [...new Set([...sidebarTopics, ...follows.touches])].join(','),
        touched,
      })
      const { headers, text } = await call('GET', `/v1/events?${query}`, { signal: untilHidden() })
      failures = 0
      touched = headers.get('X-Service-Touches') ?? touched
      const topics = (headers.get('X-Service-Touched') ?? '')
        .split(',')
        .filter((topic) => topic !== '') as Topic[]
      const answer = JSON.parse(text) as { events: LiveEvent[] }
      // Parsed as a number, the cursor could lose digits.
      cursor = /"cursor":([\d.]+)\}?\s*$/.exec(text)?.[1] ?? cursor
      dispatch(answer.events, topics, { cursor, touched: Number(touched) })
    } catch (error) {
      if ((error as Error).name === 'AbortError') continue
      await pause(retryMs[Math.min(failures, retryMs.length - 1)]!)
      failures += 1
    }
  }
}

function dispatch(events: LiveEvent[], topics: Topic[], moment: Moment): void {
  if (events.length === 0 && topics.length === 0) return
  for (const listener of listeners) listener(events, topics)
  const concerns = ({ roomId, projectId, docId }: LiveEvent) =>
    follows.events.includes('*') ||
    [roomId, projectId, docId].some((id) => id !== undefined && follows.events.includes(id))
  if (events.some(concerns) || topics.some((topic) => follows.touches.includes(topic)))
    void update(events, topics, moment)
  else refreshNavigation()
}

async function update(events: LiveEvent[], topics: Topic[], moment: Moment): Promise<void> {
  await untilResumed()
  const isDone = await updateParts(events, topics, moment.touched).catch(() => false)
  if (isDone) refreshNavigation()
  else if (!(await isShown(events, moment))) await refresh()
}

/** A write is reported as an event and as a touch; the page fetched for one may already show the other. */
async function isShown(events: LiveEvent[], { cursor, touched }: Moment): Promise<boolean> {
  await refreshing?.catch(() => {})
  return shownMoment.touched >= touched && (events.length === 0 || shownMoment.cursor === cursor)
}

function inSight(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve()
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
  })
}

let hidden = new AbortController()
document.addEventListener('visibilitychange', () => hidden.abort())

/** Browsers limit connections per server, so hidden pages release theirs. */
function untilHidden(): AbortSignal {
  hidden = new AbortController()
  return hidden.signal
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const minIntervalMs = 200
let refreshing: Promise<void> | null = null
let isStale = false
let shownAtMs = 0

let pauses = 0
let release: (() => void)[] = []

/** Pauses updates until the returned function is called, such as while a card is dragged. */
export function pauseUpdates(): () => void {
  pauses += 1
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    pauses -= 1
    if (pauses > 0) return
    for (const resume of release) resume()
    release = []
  }
}

export const untilResumed = (): Promise<void> | undefined =>
  pauses === 0 ? undefined : new Promise((resolve) => release.push(resolve))

/** Shows the reader's own change, by parts if possible. */
export async function showOwnChange(): Promise<void> {
  const isDone = await updateParts([], [], Number.POSITIVE_INFINITY).catch(() => false)
  if (!isDone) await refresh()
}

export function refresh(): Promise<void> {
  isStale = true
  refreshing ??= (async () => {
    while (isStale) {
      await pause(Math.max(0, shownAtMs + minIntervalMs - performance.now()))
      await untilResumed()
      isStale = false
      const fetched = await fetchPage(addressOf())
      // The reader may have begun to drag something meanwhile.
      if (pauses > 0) isStale = true
      else if (fetched) show(fetched)
      shownAtMs = performance.now()
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

/** @param tag of the version already shown @returns null if it is unchanged or cannot be fetched */
export async function fetchPage(path: string, tag: string | null = null): Promise<FetchedPage | null> {
  const headers = { Accept: 'text/html', ...(tag !== null && { 'If-None-Match': tag }) }
  const answer = await fetch(path, { headers }).catch(() => null)
  if (!answer) return null
  if (answer.redirected && new URL(answer.url).pathname === '/signin') {
    signInAgain()
    return null
  }
  const isGone = answer.status === 404 || answer.status === 403
  if (!answer.ok && !isGone) return null
  const text = await answer.text().catch(() => null)
  if (text === null) return null
  const fetched = new DOMParser().parseFromString(text, 'text/html')
  return { fetched, isGone, tag: answer.headers.get('ETag') }
}

function show({ fetched, isGone }: FetchedPage): void {
  const held = restorePositions()
  const isWhole = fetched.querySelector('main') !== null
  if (isWhole) {
    navigationTag = null
    const { layout } = fetched.documentElement.dataset
    if (layout === undefined) delete document.documentElement.dataset.layout
    body.dataset.touched = fetched.body.dataset.touched ?? body.dataset.touched
    shownMoment = momentOf(fetched.body)
  }
  if (isWhole && pageKindOf(document) !== undefined && pageKindOf(document) !== pageKindOf(fetched))
    location.replace(addressOf())
  else if (isGone) morph(document.querySelector('main')!, fetched.querySelector('main')!)
  for (const element of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
    const next = fetched.getElementById(element.id)
    if (next) morph(element, next)
    // Another kind of page is there now, with its own script.
    else if (isWhole && element.dataset.live === 'page') location.replace(addressOf())
  }
  held()
  if (isWhole && fetched.title) document.title = fetched.title
}

/** Set where another kind of page, with another script, may appear at the same URL. */
const pageKindOf = (shown: Document) =>
  shown.querySelector<HTMLElement>('main [data-page-kind]')?.dataset.pageKind

/** Turns an element of the page into a fetched one. */
export function morph(element: HTMLElement, next: HTMLElement): void {
  if (element.isEqualNode(next)) return
  const { id } = element
  const shown = document.importNode(next, true)
  localizeTimes(shown)
  for (const prepare of preparers) prepare(shown)
  Idiomorph.morph(element, shown, {
    morphStyle: 'outerHTML',
    // Idiomorph would also keep the text of a focused button.
    ignoreActiveValue: document.activeElement?.matches('input, select, textarea') ?? false,
    callbacks: {
      // A changed form keeps its values, and the state on which they are based.
      beforeNodeMorphed: (was: Node) => !isPreserved(was) && !isDirty(was) && !isFieldDirty(was),
      beforeNodeRemoved: (was: Node) => !isPreserved(was) && !isErrorNode(was),
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
export function restorePositions(): () => void {
  const x = Math.min(innerWidth / 2, innerWidth - 1)
  const seen = [0.2, 0.4, 0.6, 0.8].flatMap((part) => document.elementsFromPoint(x, innerHeight * part))
  // Prefers an element inside a live part, whose top does not move when content is added to it.
  const near = (what: string) => seen.map((element) => element.closest<HTMLElement>(what)).find((one) => one)
  const marked = near('main [id]:not([data-live])') ?? near('main [id]')
  const top = marked?.getBoundingClientRect().top
  return () => {
    const now = marked && document.getElementById(marked.id)
    if (!now || top === undefined) return
    const moved = now.getBoundingClientRect().top - top
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' })
  }
}
