import { canUsePasskeys } from './webauthn.ts'

const button = document.querySelector<HTMLButtonElement>('#passkey button')
const problem = document.querySelector<HTMLElement>('#passkey-problem')

if (button && canUsePasskeys()) {
  document.getElementById('passkey')!.hidden = false
  button.addEventListener('click', () => void signIn(button.dataset.next ?? '/'))
}

async function signIn(next: string): Promise<void> {
  showProblem('')
  try {
    const { startAuthentication } = await import('@simplewebauthn/browser')
    const options = await post('/signin/passkey/options', {})
    const response = await startAuthentication({ optionsJSON: options as never })
    const { location: path } = await post('/signin/passkey', { response, next })
    location.assign(String(path))
  } catch (error) {
    const isRefusal = error instanceof Refusal
    showProblem(isRefusal ? error.message : 'No passkey was used. Try again, or sign in another way.')
  }
}

class Refusal extends Error {}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const json = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Refusal(String(json.error))
  return json
}

function showProblem(message: string): void {
  if (problem) problem.textContent = message
}
