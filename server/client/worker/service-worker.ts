/** As sent by `core/notifications/push.ts`. */
interface Pushed {
  title: string
  body: string
  url: string
  tag: string
  silent: boolean
  unread: number
  /** The page of a room does not show replies. */
  isInThread?: true
}

// It intercepts no requests and caches nothing: pages always come from the server.
const worker = self as unknown as ServiceWorkerGlobalScope

worker.addEventListener('install', () => void worker.skipWaiting())
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json() as Pushed))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(String(event.notification.data)))
})

/** Shows nothing to a member who is reading there. */
async function show({ title, body, url, tag, silent, unread, isInThread }: Pushed): Promise<void> {
  const { pathname } = new URL(url, worker.location.origin)
  const isRead = (await windows()).some((one) => one.focused && new URL(one.url).pathname === pathname)
  if (isRead && !isInThread) return
  const icon = '/icons/192.png'
  await worker.registration.showNotification(title, { body, tag, silent, data: url, icon })
  if ('setAppBadge' in worker.navigator) await worker.navigator.setAppBadge(unread)
}

/** Leaves windows that show other pages alone: they may contain unsaved text. */
async function open(url: string): Promise<void> {
  const { href } = new URL(url, worker.location.origin)
  const shown = (await windows()).find((one) => one.url === href)
  await (shown ? shown.focus() : worker.clients.openWindow(url))
}

const windows = () => worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
