const shownForMs = 5000

export function showToast(words: string): void {
  const place = document.getElementById('said')
  if (!place) return
  const line = document.createElement('p')
  line.textContent = words
  place.append(line)
  setTimeout(() => line.remove(), shownForMs)
}
