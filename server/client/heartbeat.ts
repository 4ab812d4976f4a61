import { call } from './api.ts'

const intervalMs = 45_000

/** Reports the reader as online while the page is visible, in the room of `data-here` if there is one. */
export function sendHeartbeats(): void {
  if (document.body.dataset.member === undefined) return
  const roomId = document.querySelector<HTMLElement>('[data-here]')?.dataset.here
  let timer: ReturnType<typeof setTimeout> | undefined
  const sendHeartbeat = () => {
    clearTimeout(timer)
    if (document.visibilityState !== 'visible') return
    timer = setTimeout(sendHeartbeat, intervalMs)
    call('POST', '/api/presence', { json: { client: 'web', ...(roomId && { roomId }) } }).catch(() => {})
  }
  document.addEventListener('visibilitychange', sendHeartbeat)
  sendHeartbeat()
}
