export function followConnection(): void {
  addEventListener('online', showConnection)
  addEventListener('offline', showConnection)
}

export function showConnection(): void {
  const message = navigator.onLine
    ? ''
    : 'You are offline. Your messages are kept, and sent when you are connected again.'
  for (const line of document.querySelectorAll('.offline')) {
    if (line.textContent !== message) line.textContent = message
  }
}
