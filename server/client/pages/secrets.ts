import { showToast } from '../feedback.ts'

export function start(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-copies]')) enableCopying(button)
}

function enableCopying(button: HTMLElement): void {
  button.addEventListener('click', async () => {
    const element = document.getElementById(button.dataset.copies!)
    if (!element) return
    try {
      await navigator.clipboard.writeText(element.textContent.trim())
      showToast('Copied.')
    } catch {
      // Browsers restrict the clipboard to https.
      getSelection()?.selectAllChildren(element)
      showToast('Your browser blocked copying. The text is selected; press Ctrl+C.')
    }
  })
}
