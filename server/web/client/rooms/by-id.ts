import { onRender, setFetchUrl } from '../live.ts'

/** A page of a room that is asked for by the room's id (`data-by-id`), which stays when its name, and with it `data-path`, changes. */
export function start(part: HTMLElement): void {
  setFetchUrl(() => part.dataset.byId!)
  onRender(() => {
    const { path } = part.dataset
    if (!part.isConnected || path === undefined || path === decodeURI(location.pathname)) return
    history.replaceState(history.state, '', path + location.search + location.hash)
  })
}
