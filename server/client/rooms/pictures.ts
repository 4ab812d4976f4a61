/** Opens pictures in a lightbox. With a modifier key, the link works as usual. */
export function openPicturesOnThePage(room: HTMLElement): void {
  room.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a.picture')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    void open(room, link)
  })
}

async function open(room: HTMLElement, link: HTMLAnchorElement): Promise<void> {
  try {
    const { openLightbox } = await import('./lightbox.ts')
    openLightbox([...room.querySelectorAll<HTMLAnchorElement>('a.picture')], link)
  } catch {
    location.href = link.href
  }
}
