import { call } from '../api.ts'

/** Presence lasts 90 seconds, so that one lost heartbeat does not end it. */
const beatMs = 45_000

/** How long a reader stays at a block until others see it. */
const idleMs = 3000

/** Reports the visible block while the page is visible. @param path the endpoint */
export function sendPresence(page: HTMLElement, path: string): void {
  let said: string | null | undefined
  const beat = () => {
    if (document.visibilityState !== 'visible' || !page.isConnected) return
    said = blockInSight()
    const query = new URLSearchParams({ kind: 'viewing', ...(said !== null && { block: said }) })
    // A failure does not disturb the reader.
    call('POST', `${path}?${query}`).catch(() => {})
  }
  const leave = () => {
    if (page.isConnected) call('POST', `${path}?leave`, { keepalive: true }).catch(() => {})
  }
  let resting: ReturnType<typeof setTimeout> | undefined
  const moved = () => {
    clearTimeout(resting)
    resting = setTimeout(() => {
      if (blockInSight() !== said) beat()
    }, idleMs)
  }
  beat()
  setInterval(beat, beatMs)
  addEventListener('scroll', moved, { passive: true })
  document.addEventListener('visibilitychange', beat)
  addEventListener('pagehide', leave)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) beat()
  })
}

/** The block at the middle of the window, else the first one. */
function blockInSight(): string | null {
  const middle = innerHeight / 2
  const blocks = [...document.querySelectorAll<HTMLElement>('#prose > [data-block]')]
  const at = blocks.findLast((block) => block.getBoundingClientRect().top <= middle) ?? blocks[0]
  return at?.dataset.block ?? null
}
