import { call } from '../api.ts'

/** A beat counts for 90 seconds: one that is lost on the way is no departure. */
const beatMs = 45_000

/** How long somebody stays at a block until others are shown it, in milliseconds. */
const idleMs = 3000

/**
 * Says that somebody reads a document, and at which of its blocks, for as long as it is in sight.
 * @param path of the interface, on which that is said
 */
export function sendPresence(page: HTMLElement, path: string): void {
  let said: string | null | undefined
  const beat = () => {
    if (document.visibilityState !== 'visible' || !page.isConnected) return
    said = blockInSight()
    const query = new URLSearchParams({ kind: 'viewing', ...(said !== null && { block: said }) })
    // Whoever reads is not disturbed where it cannot be said.
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

/** The block at the middle of the window, else the first below it. */
function blockInSight(): string | null {
  const middle = innerHeight / 2
  const blocks = [...document.querySelectorAll<HTMLElement>('#prose > [data-block]')]
  const at = blocks.findLast((block) => block.getBoundingClientRect().top <= middle) ?? blocks[0]
  return at?.dataset.block ?? null
}
