/** Makes a button that submits no form. */
export function createButton(label: string, className: string, onClick?: () => void): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = className
  button.textContent = label
  if (onClick) button.addEventListener('click', onClick)
  return button
}
