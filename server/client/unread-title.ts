import { onRender } from './live.ts'

export function showUnreadInTitle(): void {
  onRender(() => {
    // An update sets the title last, in the same turn.
    queueMicrotask(() => {
      const unread = document.getElementById('navigation')?.dataset.unread ?? '0'
      const title = document.title.replace(/^\(\d+\) /, '')
      document.title = unread === '0' ? title : `(${unread}) ${title}`
      // Not supported by all browsers, and without effect if not installed.
      if ('setAppBadge' in navigator) void navigator.setAppBadge(Number(unread)).catch(() => {})
    })
  })
}
