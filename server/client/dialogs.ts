export function openConfirmDialog(question: string, confirmLabel = 'Continue'): Promise<boolean> {
  const dialog = document.createElement('dialog')
  dialog.className = 'confirm'
  const form = document.createElement('form')
  form.method = 'dialog'
  const paragraph = document.createElement('p')
  paragraph.textContent = question
  paragraph.id = 'confirm-question'
  dialog.setAttribute('aria-labelledby', paragraph.id)
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  buttons.append(dialogButton('Cancel', 'cancel', 'second'), dialogButton(confirmLabel, 'go-on', 'danger'))
  form.append(paragraph, buttons)
  dialog.append(form)
  document.body.append(dialog)
  // A popover closes when a dialog opens and cannot get the focus back; its button can.
  const menu = document.activeElement?.closest('[popover]')
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      if (menu && !menu.matches(':popover-open'))
        document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(menu.id)}"]`)?.focus()
      resolve(dialog.returnValue === 'go-on')
    })
    dialog.showModal()
  })
}

/** A button that closes its dialog, whose `returnValue` is then `value`. */
export function dialogButton(label: string, value: string, className: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.textContent = label
  button.value = value
  button.className = className
  return button
}
