import { call } from './api.ts'
import { onRender } from './live.ts'

/** Marks the inbox records as read that `data-unread` on the page names. */
export function start(): void {
  const done = new Set<string>()
  const look = () => {
    const shown = [...document.querySelectorAll<HTMLElement>('main [data-unread]')]
    const unread = shown.flatMap(({ dataset }) => dataset.unread!.split(' '))
    const ids = unread.filter((id) => id !== '' && !done.has(id))
    if (ids.length === 0 || document.visibilityState !== 'visible') return
    for (const id of ids) done.add(id)
    call('POST', '/v1/inbox/read', { json: { ids } }).catch(() => {
      for (const id of ids) done.delete(id)
    })
  }
  onRender(look)
  document.addEventListener('visibilitychange', look)
}
