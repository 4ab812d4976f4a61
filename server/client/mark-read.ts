import { call } from './api.ts'
import { onRender } from './live.ts'

/** Marks the inbox records as read that `data-unread` on the page names. */
export function markRead(): void {
  const markedIds = new Set<string>()
  const markVisible = () => {
    const elements = [...document.querySelectorAll<HTMLElement>('main [data-unread]')]
    const unread = elements.flatMap(({ dataset }) => dataset.unread!.split(' '))
    const ids = unread.filter((id) => id !== '' && !markedIds.has(id))
    if (ids.length === 0 || document.visibilityState !== 'visible') return
    for (const id of ids) markedIds.add(id)
    call('POST', '/v1/inbox/read', { json: { ids } }).catch(() => {
      for (const id of ids) markedIds.delete(id)
    })
  }
  onRender(markVisible)
  document.addEventListener('visibilitychange', markVisible)
}
