export function confirmThen(question: string, goOn = 'Continue'): Promise<boolean> {
  const dialog = document.createElement('dialog')
  dialog.className = 'confirm'
  const form = document.createElement('form')
  form.method = 'dialog'
  const words = document.createElement('p')
  words.textContent = question
  words.id = 'confirm-question'
  dialog.setAttribute('aria-labelledby', words.id)
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  buttons.append(button('Cancel', 'cancel', 'second'), button(goOn, 'go-on', 'danger'))
  form.append(words, buttons)
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

function button(words: string, value: string, className: string): HTMLButtonElement {
  const made = document.createElement('button')
  made.textContent = words
  made.value = value
  made.className = className
  return made
}
