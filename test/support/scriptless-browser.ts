import type { OutgoingHttpHeaders } from 'node:http'
import type { HttpResponse } from './http-client.ts'
import type { Workroom } from './workroom.ts'

/** A browser without script that keeps the session cookie and sends the headers of a browser. */
export class ScriptlessBrowser {
  /** `name=value`; null if there is none. */
  cookie: string | null = null

  constructor(
    private readonly workroom: Pick<Workroom, 'request' | 'url'>,
    private readonly userAgent: string = 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
  ) {}

  /** Opens a page without following redirects. */
  open(path: string, headers: OutgoingHttpHeaders = {}): Promise<HttpResponse> {
    return this.send('GET', path, { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers })
  }

  /** Opens a page and returns its `<main>`. @throws unless it is a page that opens */
  async main(path: string): Promise<string> {
    const { status, text } = await this.open(path)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return /<main[\s\S]*<\/main>/.exec(text)![0]
  }

  /** Sends a form as one of the server's own pages does, unless the headers say otherwise. */
  submit(
    path: string,
    fields: Record<string, string>,
    headers: OutgoingHttpHeaders = {},
  ): Promise<HttpResponse> {
    const formHeaders = {
      Accept: 'text/html',
      Origin: this.workroom.url,
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    }
    return this.send('POST', path, formHeaders, new URLSearchParams(fields).toString())
  }

  async csrf(): Promise<string> {
    const { text } = await this.open('/account/sessions')
    return /<meta name="csrf-token" content="([\w-]{86})">/.exec(text)![1]!
  }

  async signIn(key: string): Promise<this> {
    const response = await this.submit('/signin', { key })
    if (response.status !== 303 || this.cookie === null) throw new Error(`Not signed in: ${response.text}`)
    return this
  }

  async send(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders = {},
    body?: string,
  ): Promise<HttpResponse> {
    const response = await this.workroom.request(method, path, {
      key: undefined,
      body,
      headers: {
        'User-Agent': this.userAgent,
        ...(this.cookie !== null && { Cookie: this.cookie }),
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
      },
    })
    for (const line of response.headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';')
      this.cookie = pair.endsWith('=') ? null : pair
    }
    return response
  }
}
