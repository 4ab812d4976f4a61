const durationMs = 5000

export function showToast(message: string): void {
  const container = document.getElementById('said')
  if (!container) return
  const paragraph = document.createElement('p')
  paragraph.textContent = message
  container.append(paragraph)
  setTimeout(() => paragraph.remove(), durationMs)
}
