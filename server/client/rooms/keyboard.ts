/** Keeps the page's foot above an on-screen keyboard that covers the page instead of resizing it. */
export function keepAboveKeyboard(onChange: () => void): void {
  const { visualViewport: viewport } = window
  if (!viewport) return
  let coveredPx = 0
  const measure = () => {
    // Zooming shrinks the visual viewport, too.
    const covered =
      viewport.scale > 1.01 ? 0 : Math.max(0, innerHeight - viewport.height - viewport.offsetTop)
    if (Math.abs(covered - coveredPx) < 1) return
    coveredPx = covered
    document.documentElement.style.setProperty('--keyboard', `${Math.round(covered)}px`)
    onChange()
  }
  viewport.addEventListener('resize', measure)
  viewport.addEventListener('scroll', measure)
}
