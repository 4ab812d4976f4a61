import { call, errorText } from '../api.ts'
import { refresh } from '../live.ts'

export function start(): void {
  const section = document.getElementById('this-browser')
  if (section) offerPush(section)
}

/** The button stays hidden until push is possible. */
function offerPush(section: HTMLElement): void {
  const button = section.querySelector('button')!
  const status = section.querySelector<HTMLElement>('[role="status"]')!
  if (!isSecureContext || !('serviceWorker' in navigator) || !('PushManager' in window)) {
    status.textContent = isSecureContext
      ? 'This browser does not support notifications. On an iPhone or iPad, add Workroom to the home screen first.'
      : 'Notifications need https, or localhost.'
    return
  }
  button.hidden = false
  button.addEventListener('click', async () => {
    button.ariaDisabled = 'true'
    status.textContent = await turnOn(section.dataset.publicKey!)
    button.ariaDisabled = null
    await refresh()
  })
}

/** Returns the result as a message. */
async function turnOn(publicKey: string): Promise<string> {
  if ((await Notification.requestPermission()) !== 'granted') {
    return 'Notifications are blocked. Allow them for this site in your browser’s settings.'
  }
  const subscription = await subscribe(publicKey).catch(() => null)
  if (!subscription) return 'This browser could not reach its push service. Try again later.'
  const { endpoint, keys } = subscription.toJSON()
  try {
    await call('POST', '/v1/inbox/devices', { json: { endpoint, p256dh: keys!.p256dh, auth: keys!.auth } })
    return 'Notifications are on in this browser.'
  } catch (error) {
    return errorText(error)
  }
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register('/service-worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  // An existing one may belong to another member or other keys.
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}
