const toastMs = 5000

/** Shows a message for a while. */
export function showToast(message: string): void {
  const container = document.getElementById('said')
  if (!container) return
  const paragraph = document.createElement('p')
  paragraph.textContent = message
  container.append(paragraph)
  setTimeout(() => paragraph.remove(), toastMs)
}

/** The form or control to which each message belongs. */
const anchors = new Map<Node, HTMLElement>()
let count = 0

/** Shows a message in the form or beside the control; null removes it. */
export function showError(anchor: HTMLElement, message: string | null): void {
  const isForm = anchor instanceof HTMLFormElement
  const candidate = isForm
    ? anchor.querySelector<HTMLElement>(':scope > .problem')
    : anchor.nextElementSibling
  const existing = candidate?.classList.contains('problem') ? candidate : null
  if (message === null) {
    existing?.remove()
    return
  }
  const problem = existing ?? document.createElement('p')
  problem.className = 'problem'
  problem.role = 'alert'
  problem.textContent = message
  if (existing) return
  // A unique id keeps updates from matching it with another paragraph.
  problem.id = `problem-${++count}`
  anchors.set(problem, anchor)
  if (isForm) anchor.prepend(problem)
  else anchor.after(problem)
}

/** A message survives updates as long as its subject does. */
export const isErrorNode = (node: Node): boolean => anchors.has(node)

export function removeOrphanErrors(): void {
  for (const [problem, anchor] of anchors) {
    if (problem.isConnected && anchor.isConnected) continue
    problem.parentNode?.removeChild(problem)
    anchors.delete(problem)
  }
}
