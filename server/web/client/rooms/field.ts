/** How a field grows with what is written, where the browser does not do it by itself. */
export function autoGrow(field: HTMLTextAreaElement): () => void {
  if (CSS.supports('field-sizing', 'content')) return () => {}
  const grow = () => {
    field.style.height = 'auto'
    field.style.height = `${field.scrollHeight + 2}px`
  }
  field.addEventListener('input', grow)
  grow()
  return grow
}

/** Where there is no keyboard but the one on the screen, Enter begins a new line. */
export const isTouchScreen = (): boolean => matchMedia('(pointer: coarse)').matches

export const isSendKey = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.isComposing &&
  (event.ctrlKey || event.metaKey || !(event.shiftKey || isTouchScreen()))
