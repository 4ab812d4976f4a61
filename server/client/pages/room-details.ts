import { onRender, setFetchUrl } from '../live.ts'
import { markRead } from '../mark-read.ts'

export function start(): void {
  fetchById(document.querySelector<HTMLElement>('[data-by-id]')!)
  markRead()
}

/** Fetches the page by the room's id (`data-by-id`), since its path changes with the room's name. */
function fetchById(part: HTMLElement): void {
  setFetchUrl(() => part.dataset.byId!)
  onRender(() => {
    const { path } = part.dataset
    if (!part.isConnected || path === undefined || path === decodeURI(location.pathname)) return
    history.replaceState(history.state, '', path + location.search + location.hash)
  })
}
