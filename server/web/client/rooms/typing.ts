import { call } from '../api.ts'

/** The signal lasts six seconds on the server. */
const repeatMs = 4000

/** Signals to the others in a room that someone is typing, as long as the field changes and is not empty. */
export function signalTyping(field: HTMLTextAreaElement, roomId: string): void {
  let lastMs = Number.NEGATIVE_INFINITY
  const send = (method: 'POST' | 'DELETE') => {
    lastMs = method === 'POST' ? performance.now() : Number.NEGATIVE_INFINITY
    call(method, `/rooms/${roomId}/typing`).catch(() => {})
  }
  field.addEventListener('input', (event) => {
    // Changes by script, such as clearing what was sent, are not typed; the message itself ends the signal.
    if (!event.isTrusted) {
      if (field.value === '') lastMs = Number.NEGATIVE_INFINITY
    } else if (field.value === '') {
      if (lastMs > 0) send('DELETE')
    } else if (performance.now() - lastMs > repeatMs && !field.value.startsWith('/')) send('POST')
  })
}
