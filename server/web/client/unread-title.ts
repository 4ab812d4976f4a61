import { onRender } from './live.ts'

/**
 * Says in the window's title, and on the app's icon, how much is unread that is for the reader: mentions, and what was
 * written to them directly.
 */
export function showUnreadInTitle(): void {
  onRender(() => {
    // An update changes the title last, in the same turn.
    queueMicrotask(() => {
      const unread = document.getElementById('navigation')?.dataset.unread ?? '0'
      const title = document.title.replace(/^\(\d+\) /, '')
      document.title = unread === '0' ? title : `(${unread}) ${title}`
      // Browsers without a badge, and pages that are not installed, have no use for it.
      if ('setAppBadge' in navigator) void navigator.setAppBadge(Number(unread)).catch(() => {})
    })
  })
}
