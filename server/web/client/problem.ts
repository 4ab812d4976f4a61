/** What is wrong, by the element that says so: the form or the control that it is about. */
const shownNear = new Map<Node, HTMLElement>()
let count = 0

/** Says in the form, or beside the button, what was wrong; null takes it away. */
export function showError(near: HTMLElement, words: string | null): void {
  const isForm = near instanceof HTMLFormElement
  const found = isForm ? near.querySelector<HTMLElement>(':scope > .problem') : near.nextElementSibling
  const shown = found?.classList.contains('problem') ? found : null
  if (words === null) {
    shown?.remove()
    return
  }
  const problem = shown ?? document.createElement('p')
  problem.className = 'problem'
  problem.role = 'alert'
  problem.textContent = words
  if (shown) return
  // A unique id keeps updates from taking it for another paragraph.
  problem.id = `problem-${++count}`
  shownNear.set(problem, near)
  if (isForm) near.prepend(problem)
  else near.after(problem)
}

/** Whether a node is an error message. It survives updates as long as its subject. */
export const isErrorNode = (node: Node): boolean => shownNear.has(node)

/** Takes away what is about something that is gone. */
export function removeOrphanErrors(): void {
  for (const [problem, near] of shownNear) {
    if (problem.isConnected && near.isConnected) continue
    problem.parentNode?.removeChild(problem)
    shownNear.delete(problem)
  }
}
