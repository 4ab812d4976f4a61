import { call } from './api.ts'
import { handleApiForms } from './api-forms.ts'
import { startFinder } from './finder.ts'
import { showKeyboardHelp } from './keys-help.ts'
import { onRender, startLiveUpdates } from './live.ts'
import { offerMentions } from './mentions.ts'
import type { PageKind } from './page-kind.ts'
import { saveFormsOnSessionEnd } from './saved-forms.ts'
import { filterRooms, handleRoomShortcuts, keepSidebarPosition, showUnreadInTitle } from './sidebar.ts'
import { keyOf, storedNames } from './stored-value.ts'
import { resumeUndo } from './undo.ts'
import { warnOfUnreached } from './unreached.ts'

const heartbeatMs = 45_000

/** What pages of a kind have besides, loaded only there. */
const kinds: Record<PageKind, () => Promise<{ start(): void | Promise<void> }>> = {
  asks: () => import('./pages/asks.ts'),
  board: () => import('./pages/board.ts'),
  card: () => import('./pages/card.ts'),
  document: () => import('./pages/document.ts'),
  documents: () => import('./pages/documents.ts'),
  editor: () => import('./pages/editor.ts'),
  files: () => import('./pages/files.ts'),
  notifications: () => import('./pages/notifications.ts'),
  passkeys: () => import('./pages/passkeys.ts'),
  plan: () => import('./pages/plan.ts'),
  project: () => import('./pages/project.ts'),
  room: () => import('./pages/room.ts'),
  'room-details': () => import('./pages/room-details.ts'),
  secrets: () => import('./pages/secrets.ts'),
}

rememberTimeZone()
keepSidebarPosition()
handleApiForms()
saveFormsOnSessionEnd()
showKeyboardHelp()
handleRoomShortcuts()
filterRooms()
closeMenus()
requestAnimationFrame(scrollToCurrentTab)
sendHeartbeats()
showUnreadInTitle()
resumeUndo()
startFinder()
onRender((within) => {
  for (const field of within.querySelectorAll('textarea')) {
    if (field.dataset.mentions !== undefined) offerMentions(field)
    if (field.dataset.unreached !== undefined) warnOfUnreached(field)
  }
})
void startKind(document.documentElement.dataset.pageKind as PageKind | undefined).then(markStarted)
sendUnsent()
void startLiveUpdates()

/** The rest of the page works meanwhile. */
async function startKind(kind: PageKind | undefined): Promise<void> {
  if (kind === undefined) return
  const { start } = await kinds[kind]()
  await start()
}

/** For programs that use the page, such as tests: from now on it responds as it should. */
function markStarted(): void {
  document.documentElement.dataset.started = ''
}

/** The server then renders times in this zone, before and without this script. */
function rememberTimeZone(): void {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)
  const secureFlag = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: there is no cookieStore on pages without TLS.
  document.cookie = `timezone=${zone}; path=/; max-age=31536000; samesite=lax${secureFlag}`
}

/** Sends messages that an earlier page could not. */
function sendUnsent(): void {
  if (storedNames(keyOf('unsent', '')).length === 0) return
  void import('./rooms/unsent-messages.ts').then(({ unsentMessages }) => unsentMessages.deliver())
}

/** Reports the reader as online while the page is visible, in the room of `data-here` if there is one. */
function sendHeartbeats(): void {
  if (document.body.dataset.member === undefined) return
  const roomId = document.querySelector<HTMLElement>('[data-here]')?.dataset.here
  let timer: ReturnType<typeof setTimeout> | undefined
  const sendHeartbeat = () => {
    clearTimeout(timer)
    if (document.visibilityState !== 'visible') return
    timer = setTimeout(sendHeartbeat, heartbeatMs)
    call('POST', '/api/presence', { json: { client: 'web', ...(roomId && { roomId }) } }).catch(() => {})
  }
  document.addEventListener('visibilitychange', sendHeartbeat)
  sendHeartbeat()
}

/** Closes `<details class="actions">` on a click elsewhere or Escape. */
function closeMenus(): void {
  const open = () => document.querySelectorAll<HTMLDetailsElement>('details.actions[open]')
  document.addEventListener('click', (event) => {
    const target = event.target as Element
    for (const menu of open()) {
      if (!menu.contains(target) || target.closest('.menu-list :is(a, button)')) menu.open = false
    }
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    for (const menu of open()) {
      menu.open = false
      if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
      event.preventDefault()
    }
  })
}

function scrollToCurrentTab(): void {
  for (const tabs of document.querySelectorAll<HTMLElement>('.tabs')) {
    const current = tabs.querySelector<HTMLElement>('[aria-current]')
    if (!current) continue
    const middle = current.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2
    if (middle > 0) tabs.scrollLeft = middle
  }
}
