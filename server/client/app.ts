import { handleApiForms } from './api-forms.ts'
import { sendHeartbeats } from './heartbeat.ts'
import { showKeyboardHelp } from './keys-help.ts'
import { onRender, startLiveUpdates } from './live.ts'
import { offerMentions } from './mentions.ts'
import { closeMenus } from './menus.ts'
import { saveFormsOnSessionEnd } from './saved-forms.ts'
import { filterRooms, handleRoomShortcuts, keepSidebarPosition } from './sidebar.ts'
import { keyOf, storedNames } from './stored-value.ts'
import { scrollToCurrentTab } from './tabs.ts'
import { resumeUndo } from './undo.ts'
import { warnOfUnreached } from './unreached.ts'
import { showUnreadInTitle } from './unread-title.ts'

/** Modules that few pages need, loaded where an element names one. */
const lazyModules: Record<string, () => Promise<{ start(element: HTMLElement): void | Promise<void> }>> = {
  board: () => import('./board/board.ts'),
  goal: () => import('./plan/goal.ts'),
  card: () => import('./board/card.ts'),
  room: () => import('./rooms/room.ts'),
  'by-id': () => import('./rooms/by-id.ts'),
  document: () => import('./documents/document.ts'),
  'mark-read': () => import('./mark-read.ts'),
  'document-list': () => import('./documents/document-list.ts'),
  editor: () => import('./editor/editor.ts'),
  upload: () => import('./upload.ts'),
  copy: () => import('./copy.ts'),
  push: () => import('./push.ts'),
  finder: () => import('./finder.ts'),
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
onRender((within) => {
  for (const field of within.querySelectorAll('textarea')) {
    if (field.dataset.mentions !== undefined) offerMentions(field)
    if (field.dataset.unreached !== undefined) warnOfUnreached(field)
  }
})
// A single query, since a page can be long. The page's own modules load before those of every page.
const moduleElements = [...document.querySelectorAll<HTMLElement>('[data-module]')]
const starts: Promise<void>[] = []
for (const [name, load] of Object.entries(lazyModules)) {
  for (const element of moduleElements) {
    if (element.dataset.module === name) starts.push(load().then(({ start }) => start(element)))
  }
}
void Promise.all(starts).then(markStarted)
sendUnsent()
void startLiveUpdates()

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
