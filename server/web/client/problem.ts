/** The form or control to which each message belongs. */
const shownNear = new Map<Node, HTMLElement>()
let count = 0

/** Shows a message in the form or beside the control; null removes it. */
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
  // A unique id keeps updates from matching it with another paragraph.
  problem.id = `problem-${++count}`
  shownNear.set(problem, near)
  if (isForm) near.prepend(problem)
  else near.after(problem)
}

/** A message survives updates as long as its subject does. */
export const isErrorNode = (node: Node): boolean => shownNear.has(node)

export function removeOrphanErrors(): void {
  for (const [problem, near] of shownNear) {
    if (problem.isConnected && near.isConnected) continue
    problem.parentNode?.removeChild(problem)
    shownNear.delete(problem)
  }
}
