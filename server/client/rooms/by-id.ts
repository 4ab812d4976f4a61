import { onRender, setFetchUrl } from '../live.ts'

/** Fetches a room's page by its id (`data-by-id`), since its path changes with its name. */
export function start(part: HTMLElement): void {
  setFetchUrl(() => part.dataset.byId!)
  onRender(() => {
    const { path } = part.dataset
    if (!part.isConnected || path === undefined || path === decodeURI(location.pathname)) return
    history.replaceState(history.state, '', path + location.search + location.hash)
  })
}
