/** Closes `<details class="actions">` on a click elsewhere or Escape. */
export function closeMenus(): void {
  const open = () => document.querySelectorAll<HTMLDetailsElement>('details.actions[open]')
  document.addEventListener('click', (event) => {
    const target = event.target as Element
    for (const menu of open()) {
      if (!menu.contains(target) || target.closest('.menu-list :is(a, button)')) menu.open = false
    }
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    for (const menu of open()) {
      menu.open = false
      if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus()
      event.preventDefault()
    }
  })
}
