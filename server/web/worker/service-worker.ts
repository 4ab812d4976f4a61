/** As `core/notifications/push.ts` sends it. */
interface Pushed {
  title: string
  body: string
  url: string
  tag: string
  silent: boolean
  unread: number
}

// It answers no requests and keeps nothing: pages always come from the server.
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

async function show({ title, body, url, tag, silent, unread }: Pushed): Promise<void> {
  const icon = '/icons/192.png'
  await worker.registration.showNotification(title, { body, tag, silent, data: url, icon })
  if ('setAppBadge' in worker.navigator) await worker.navigator.setAppBadge(unread)
}

/** Shows the page in an open window where there is one. */
async function open(url: string): Promise<void> {
  const [window] = await worker.clients.matchAll({ type: 'window' })
  const shown = await window?.navigate(url).catch(() => null)
  await (shown ? shown.focus() : worker.clients.openWindow(url))
}
