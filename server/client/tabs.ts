export function scrollToCurrentTab(): void {
  for (const tabs of document.querySelectorAll<HTMLElement>('.tabs')) {
    const current = tabs.querySelector<HTMLElement>('[aria-current]')
    if (!current) continue
    const middle = current.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2
    if (middle > 0) tabs.scrollLeft = middle
  }
}
