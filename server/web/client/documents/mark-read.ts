import { call } from '../api.ts'
import { onRender } from '../live.ts'

export function markRead(): void {
  const done = new Set<string>()
  const look = () => {
    const unread = document.getElementById('document-head')?.dataset.unread ?? ''
    const ids = unread.split(' ').filter((id) => id !== '' && !done.has(id))
    if (ids.length === 0 || document.visibilityState !== 'visible') return
    for (const id of ids) done.add(id)
    call('POST', '/api/inbox/read', { json: { ids } }).catch(() => {
      for (const id of ids) done.delete(id)
    })
  }
  onRender(look)
  document.addEventListener('visibilitychange', look)
}
