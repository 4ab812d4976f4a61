import { ApiError, call, errorText } from '../api.ts'
import { showError, showToast } from '../feedback.ts'
import { refresh } from '../live.ts'
import { canUsePasskeys } from '../webauthn.ts'

export function start(): void {
  const form = document.querySelector<HTMLFormElement>('#new-passkey')
  if (form) offerPasskey(form)
}

function offerPasskey(form: HTMLFormElement): void {
  const button = form.querySelector('button')!
  if (!canUsePasskeys()) {
    button.disabled = true
    document.getElementById('passkey-unavailable')!.hidden = false
    return
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (button.ariaDisabled !== 'true') void add(form, button)
  })
}

async function add(form: HTMLFormElement, button: HTMLButtonElement): Promise<void> {
  button.ariaDisabled = 'true'
  showError(form, null)
  try {
    const { startRegistration } = await import('@simplewebauthn/browser')
    const { json } = await call('POST', '/account/passkeys/options', { json: {} })
    const response = await startRegistration({ optionsJSON: json as never })
    const label = new FormData(form).get('label')
    await call('POST', '/account/passkeys', { json: { response, label } })
    form.reset()
    showToast('Passkey added.')
    await refresh()
  } catch (error) {
    showError(form, failureText(error))
  } finally {
    button.ariaDisabled = null
  }
}

/** Errors of the browser mean that the person cancelled, or that the device already has a passkey. */
function failureText(error: unknown): string {
  if (error instanceof ApiError || !(error instanceof Error)) return errorText(error)
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for you.'
  return error.name === 'TypeError' ? errorText(error) : 'No passkey was added. Try again.'
}
