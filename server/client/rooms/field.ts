/** Makes a field grow with its text where `field-sizing` is not supported. */
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

/** There, Enter begins a new line. */
export const isTouchScreen = (): boolean => matchMedia('(pointer: coarse)').matches

export const isSendKey = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' &&
  !event.isComposing &&
  (event.ctrlKey || event.metaKey || !(event.shiftKey || isTouchScreen()))
