import { showToast } from './toast.ts'

export function start(button: HTMLElement): void {
  button.addEventListener('click', async () => {
    const element = document.getElementById(button.dataset.what!)
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
