import { Idiomorph } from 'idiomorph'
import { call, signInAgain } from './api.ts'
import { isDirty, isFieldDirty } from './form-state.ts'
import { isErrorNode, removeOrphanErrors } from './problem.ts'
import { localizeTimes } from './time.ts'

export interface LiveEvent {
  type: string
  roomId?: string
  projectId?: string
  docId?: string
  [field: string]: unknown
}

/** As `/v1/events?touch=` names it. */
type Topic =
  | `${'room' | 'document' | 'here' | 'project' | 'board' | 'docs' | 'member'}:${string}`
  | 'workspace'
  | 'presence'

interface Follows {
  /** Ids of rooms, projects and documents whose events concern the page; `*`: every event does. */
  events: string[]
  /** What events do not tell. */
  touches: Topic[]
}

const { body } = document
const follows: Follows = JSON.parse(body.dataset.follows ?? '{"events":[],"touches":[]}')

/** What changes the way around of every page. */
const sidebarTopics: readonly Topic[] = ['workspace', `member:${body.dataset.member}`]

/** Updates parts of the page. @returns false if the whole page is to be fetched */
type PartialUpdate = (events: LiveEvent[], touched: Topic[], sequence: number) => Promise<boolean>
let updateParts: PartialUpdate = () => Promise.resolve(false)

/** Has what concerns the page change parts of it, in place of fetching the whole page. */
export function setPartialUpdate(update: PartialUpdate): void {
  updateParts = update
}

/** Up to where a page, or what is told to it, goes. */
interface Moment {
  /** Of the last event. */
  cursor: string | undefined
  /** Of the last touch. */
  touched: number
}

const momentOf = ({ dataset: { cursor, touched } }: HTMLElement): Moment => ({
  cursor,
  touched: Number(touched ?? -1),
})

/** Of the whole page that was fetched last. */
let shownMoment = momentOf(body)

type Listener = (events: LiveEvent[], touched: Topic[]) => void
const listeners: Listener[] = []

/** Calls `listener` with all events that the reader may see, before the page is updated. */
export function onEvents(listener: Listener): void {
  listeners.push(listener)
}

const enhancers: ((within: ParentNode) => void)[] = [localizeTimes]

/** Runs now, and on each updated part. */
export function onRender(enhance: (within: ParentNode) => void): void {
  enhancers.push(enhance)
  enhance(document)
}

const preparers: ((within: HTMLElement) => void)[] = []

/** Runs on whatever has been fetched, before it is compared with what is shown. */
export function onBeforeMorph(prepare: (within: HTMLElement) => void): void {
  preparers.push(prepare)
}

let addressOf = () => location.pathname + location.search

/** Has the page fetched by another address than its own: one that says what of it the reader has before them. */
export function setFetchUrl(address: () => string): void {
  addressOf = address
}

const waitSeconds = 25
const retryMs = [500, 1000, 2000, 5000, 10_000]

/** Follows what happens for as long as the page is in sight; a page that comes back into sight catches up. */
export async function startLiveUpdates(): Promise<void> {
  localizeTimes(document)
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
      // A number would lose digits of the cursor where it is written differently.
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

/** Whether the page that was fetched last has it: a write is told as an event and as a touch, one after the other. */
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

/** A browser has few connections to a server: those who look at other pages need them. */
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

/** What is fetched while updates are paused is shown after this. */
export const untilResumed = (): Promise<void> | undefined =>
  pauses === 0 ? undefined : new Promise((resolve) => release.push(resolve))

/** Shows what the reader changed: the parts of the page that are concerned, where it can tell them, or the whole page. */
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
      // What the reader has taken in hand meanwhile is not taken from them.
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
    // The reader may have lost the page: nothing else is told of what they can no longer read.
    if (wasListed && !isPageListed()) void refresh()
  }, minIntervalMs)
}

const isPageListed = () => document.querySelector('#navigation [aria-current]') !== null

/** Of the navigation that was fetched last. A refresh of the whole page may have changed it since. */
let navigationTag: string | null = null

interface FetchedPage {
  fetched: Document
  /** There is nothing at its address any more that the reader may see. */
  isGone: boolean
  /** Its entity tag. */
  tag: string | null
}

/**
 * Fetches a page, or a part of one, as the signed-in member.
 * @param tag of what is known already
 * @returns null if that is still so, or it could not be fetched
 */
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

/** Lets each live part of this page become what it is on the one that was fetched. */
function show({ fetched, isGone }: FetchedPage): void {
  const held = restorePositions()
  const isWhole = fetched.querySelector('main') !== null
  if (isWhole) {
    navigationTag = null
    body.dataset.touched = fetched.body.dataset.touched ?? body.dataset.touched
    shownMoment = momentOf(fetched.body)
  }
  if (isWhole && pageKindOf(document) !== undefined && pageKindOf(document) !== pageKindOf(fetched))
    location.replace(addressOf())
  else if (isGone) morph(document.querySelector('main')!, fetched.querySelector('main')!)
  for (const element of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
    const next = fetched.getElementById(element.id)
    if (next) morph(element, next)
    // Another kind of page is there now, with script of its own.
    else if (isWhole && element.dataset.live === 'page') location.replace(addressOf())
  }
  held()
  if (isWhole && fetched.title) document.title = fetched.title
}

/** The kind of a page, where one of another kind can take its place at the same address, for which its script is not made. */
const pageKindOf = (shown: Document) =>
  shown.querySelector<HTMLElement>('main [data-page-kind]')?.dataset.pageKind

/** Lets an element of the page become what it is on a fetched one. */
export function morph(element: HTMLElement, next: HTMLElement): void {
  if (element.isEqualNode(next)) return
  const { id } = element
  const shown = document.importNode(next, true)
  localizeTimes(shown)
  for (const prepare of preparers) prepare(shown)
  Idiomorph.morph(element, shown, {
    morphStyle: 'outerHTML',
    // Of a button that has the focus it would keep the words.
    ignoreActiveValue: document.activeElement?.matches('input, select, textarea') ?? false,
    callbacks: {
      // A changed form keeps its values, and the state that they are based on.
      beforeNodeMorphed: (was: Node) => !isPreserved(was) && !isDirty(was) && !isFieldDirty(was),
      beforeNodeRemoved: (was: Node) => !isPreserved(was) && !isErrorNode(was),
      // Whether a part is folded out is the reader's.
      beforeAttributeUpdated: (name: string, node: Element) =>
        !(name === 'open' && (node.localName === 'details' || node.localName === 'dialog')),
    },
  })
  removeOrphanErrors()
  enhanceAll(document.getElementById(id) ?? document)
}

/** Adds an element of a fetched page to this one. @param before null: at the end */
export function insert(parent: HTMLElement, next: HTMLElement, before: Element | null = null): void {
  const added = document.importNode(next, true)
  parent.insertBefore(added, before)
  enhanceAll(added)
}

function enhanceAll(within: ParentNode): void {
  for (const enhance of enhancers) enhance(within)
}

const isPreserved = (node: Node): boolean => node instanceof HTMLElement && node.dataset.keep !== undefined

/** What is being read stays where it is, whatever changes above it. @returns puts it back */
export function restorePositions(): () => void {
  const x = Math.min(innerWidth / 2, innerWidth - 1)
  const seen = [0.2, 0.4, 0.6, 0.8].flatMap((part) => document.elementsFromPoint(x, innerHeight * part))
  // The start of an updated part stays in place, whatever is added to it.
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
