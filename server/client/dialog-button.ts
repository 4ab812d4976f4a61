/** A button that closes its dialog, whose `returnValue` is then `value`. */
export function dialogButton(label: string, value: string, className: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.textContent = label
  button.value = value
  button.className = className
  return button
}
