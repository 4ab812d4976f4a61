import { call } from '../api.ts'

/** The server's signal lasts six seconds. */
const repeatMs = 4000

export function signalTyping(field: HTMLTextAreaElement, roomId: string): void {
  let lastMs = Number.NEGATIVE_INFINITY
  const send = (method: 'POST' | 'DELETE') => {
    lastMs = method === 'POST' ? performance.now() : Number.NEGATIVE_INFINITY
    call(method, `/rooms/${roomId}/typing`).catch(() => {})
  }
  field.addEventListener('input', (event) => {
    // Changes by script, such as emptying the field after sending, are not typing.
    if (!event.isTrusted) {
      if (field.value === '') lastMs = Number.NEGATIVE_INFINITY
    } else if (field.value === '') {
      if (lastMs > 0) send('DELETE')
    } else if (performance.now() - lastMs > repeatMs && !field.value.startsWith('/')) send('POST')
  })
}
