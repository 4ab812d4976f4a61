export function followConnection(): void {
  addEventListener('online', showConnection)
  addEventListener('offline', showConnection)
}

export function showConnection(): void {
  const message = navigator.onLine
    ? ''
    : 'You are offline. Your messages are kept and will be sent when you are back online.'
  for (const line of document.querySelectorAll('.offline')) {
    if (line.textContent !== message) line.textContent = message
  }
}
