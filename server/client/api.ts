export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: Record<string, unknown>,
  ) {
    super(message)
  }
}

interface Request {
  json?: unknown
  body?: BodyInit
  headers?: Record<string, string>
  signal?: AbortSignal
  keepalive?: boolean
}

export interface ApiResponse {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

export const csrfToken = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content

/** Leads to the sign-in page if the session has ended. @throws ApiError; TypeError if unreachable */
export async function call(method: string, path: string, request: Request = {}): Promise<ApiResponse> {
  const { json, body = json === undefined ? undefined : JSON.stringify(json), signal, keepalive } = request
  const response = await fetch(path, {
    method,
    headers: {
      Accept: 'application/json, text/markdown, text/plain',
      'X-Service-Client': 'workroom-web',
      ...(csrfToken && { 'X-CSRF-Token': csrfToken }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  })
  const text = await response.text()
  const fields = fieldsOf(response.headers, text)
  if (response.status === 401) redirectToSignIn()
  if (!response.ok) throw new ApiError(response.status, messageOf(fields, response.status), fields)
  return { status: response.status, headers: response.headers, text, json: fields }
}

export const errorText = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'The server cannot be reached. Try again in a moment.'

function fieldsOf(headers: Headers, text: string): Record<string, unknown> {
  if (!headers.get('Content-Type')?.startsWith('application/json')) return {}
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** In the tree, `error` is a code; elsewhere it is the message. */
export function messageOf({ message, error }: Record<string, unknown>, status: number): string {
  if (typeof message === 'string') return message
  return typeof error === 'string' ? error : `Something went wrong (${status}).`
}

/** A form was submitted: the page must not go to the sign-in page instead. */
let isLeaving = false
addEventListener('submit', ({ target, defaultPrevented }) => {
  isLeaving ||= !defaultPrevented && (target as HTMLFormElement).method !== 'dialog'
})
addEventListener('pageshow', () => {
  isLeaving = false
})

/** Several requests may be refused at once, and a second navigation would abort the first. */
const minRedirectIntervalMs = 2000
let redirectedAtMs = Number.NEGATIVE_INFINITY

/** Dispatches `sessionended`, at which others store unsaved text. */
export function redirectToSignIn(): void {
  if (isLeaving || performance.now() - redirectedAtMs < minRedirectIntervalMs) return
  redirectedAtMs = performance.now()
  dispatchEvent(new Event('sessionended'))
  location.assign(`/signin?next=${encodeURIComponent(location.pathname + location.search)}`)
}
