import { call } from './api.ts'

const everyMs = 45_000

/**
 * Says that the reader is here for as long as the page is in sight: in the room that an element names by `data-here`, or
 * in none. What goes wrong is tried again with the next.
 */
export function sendHeartbeats(): void {
  if (document.body.dataset.member === undefined) return
  const roomId = document.querySelector<HTMLElement>('[data-here]')?.dataset.here
  let timer: ReturnType<typeof setTimeout> | undefined
  const beat = () => {
    clearTimeout(timer)
    if (document.visibilityState !== 'visible') return
    timer = setTimeout(beat, everyMs)
    call('POST', '/api/presence', { json: { client: 'web', ...(roomId && { roomId }) } }).catch(() => {})
  }
  document.addEventListener('visibilitychange', beat)
  beat()
}
