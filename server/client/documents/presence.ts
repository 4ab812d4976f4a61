import { call } from '../api.ts'
import { onRender } from '../live.ts'

/** Presence lasts 90 seconds, so that one lost heartbeat does not end it. */
const heartbeatMs = 45_000

/** How long a reader stays at a block until others see it. */
const idleMs = 3000

/** Reports the visible block while the page is visible. @param path the endpoint */
export function sendPresence(page: HTMLElement, path: string): void {
  let reportedBlock: string | null | undefined
  const sendHeartbeat = () => {
    if (document.visibilityState !== 'visible' || !page.isConnected) return
    reportedBlock = findVisibleBlock()
    const query = new URLSearchParams({
      kind: 'viewing',
      ...(reportedBlock !== null && { block: reportedBlock }),
    })
    // A failure does not disturb the reader.
    call('POST', `${path}?${query}`).catch(() => {})
  }
  const sendLeave = () => {
    if (page.isConnected) call('POST', `${path}?leave`, { keepalive: true }).catch(() => {})
  }
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  const handleScroll = () => {
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      if (findVisibleBlock() !== reportedBlock) sendHeartbeat()
    }, idleMs)
  }
  sendHeartbeat()
  setInterval(sendHeartbeat, heartbeatMs)
  addEventListener('scroll', handleScroll, { passive: true })
  document.addEventListener('visibilitychange', sendHeartbeat)
  addEventListener('pagehide', sendLeave)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) sendHeartbeat()
  })
}

/** The block at the middle of the window, else the first one. */
function findVisibleBlock(): string | null {
  const middle = innerHeight / 2
  const blocks = [...document.querySelectorAll<HTMLElement>('#prose > [data-block]')]
  const current = blocks.findLast((block) => block.getBoundingClientRect().top <= middle) ?? blocks[0]
  return current?.dataset.block ?? null
}

export function showPresenceMarks(text: HTMLElement): void {
  const layer = document.createElement('div')
  layer.ariaHidden = 'true'
  text.append(layer)
  const draw = () => layer.replaceChildren(...createMarks())
  onRender(draw)
  new ResizeObserver(draw).observe(text)
}

function createMarks(): HTMLElement[] {
  const prose = document.getElementById('prose')
  const presentMembers = document.querySelectorAll<HTMLElement>('#here [data-at]')
  return [...presentMembers].flatMap(({ dataset }) => {
    const block = prose?.querySelector<HTMLElement>(`:scope > [data-block="${CSS.escape(dataset.at!)}"]`)
    if (!block) return []
    const mark = document.createElement('div')
    mark.className = 'at-block'
    mark.style.top = `${block.offsetTop}px`
    mark.style.height = `${block.offsetHeight}px`
    const name = document.createElement('span')
    name.textContent = dataset.name ?? ''
    mark.append(name)
    return mark
  })
}
