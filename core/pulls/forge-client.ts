import type { Outbound, OutboundFailure, OutboundResponse } from '../../data/outbound/http.ts'
import type { ForgeAddress } from './forge-fields.ts'
import { type ForgePull, parsePull, parsePulls } from './forge-responses.ts'

export interface ForgeFailure {
  kind: 'failure'
  /** The end of a sentence; contains nothing that the forge wrote. */
  problem: string
  /** Null if there is no usable response. */
  status: number | null
  /** Whether a retry would fail too: the address or the token is wrong. */
  isPermanent: boolean
  backoffMs: number
}

export const isMissing = ({ status }: ForgeFailure): boolean => status === 404 || status === 410

interface ForgeResult<T> {
  kind: 'fetched'
  value: T
  etag: string | null
}

interface Unchanged {
  kind: 'unchanged'
}

/** `text` is null if the diff is too large for the forge to return. */
interface Diff {
  kind: 'diff'
  text: string | null
  isCut: boolean
}

export const pageLength = 50

const requestMs = 5000
const maxResponseBytes = 8 * 1024 * 1024
const maxDiffBytes = 1024 * 1024
const maxBackoffMs = 60 * 60 * 1000

interface ForgeClientDeps {
  outbound: Outbound
  now: () => number
  signal: AbortSignal
}

export class ForgeClient {
  constructor(private readonly deps: ForgeClientDeps) {}

  async list(
    forge: ForgeAddress,
    page: number,
    etag: string | null,
  ): Promise<ForgeResult<ForgePull[]> | Unchanged | ForgeFailure> {
    // Gitea and Forgejo call `per_page` `limit`.
    const query = `state=all&sort=updated&direction=desc&per_page=${pageLength}&limit=${pageLength}&page=${page}`
    const response = await this.get(forge, `pulls?${query}`, json, etag)
    return 'headers' in response
      ? this.parseResponse(response, parsePulls, 'list of pull requests')
      : response
  }

  async pull(
    forge: ForgeAddress,
    number: number,
    etag: string | null,
  ): Promise<ForgeResult<ForgePull> | Unchanged | ForgeFailure> {
    const response = await this.get(forge, `pulls/${number}`, json, etag)
    return 'headers' in response ? this.parseResponse(response, parsePull, 'pull request') : response
  }

  async diff(forge: ForgeAddress, number: number): Promise<Diff | ForgeFailure> {
    const byType = await this.get(forge, `pulls/${number}`, 'application/vnd.github.diff', null)
    if ('headers' in byType && isDiff(byType)) return diffOf(byType)
    if (byType.kind === 'failure') {
      return byType.status === tooLargeStatus ? { kind: 'diff', text: null, isCut: false } : byType
    }
    const byName = await this.get(forge, `pulls/${number}.diff`, '*/*', null)
    if ('headers' in byName && isDiff(byName)) return diffOf(byName)
    return byName.kind === 'failure' ? byName : failure('the response of the forge is not a diff')
  }

  private async get(
    forge: ForgeAddress,
    path: string,
    accept: string,
    etag: string | null,
  ): Promise<OutboundResponse | Unchanged | ForgeFailure> {
    const isDiffRequested = accept !== json
    const response = await this.deps.outbound.request(
      {
        method: 'GET',
        url: `${forge.api}/repos/${forge.owner}/${forge.name}/${path}`,
        headers: {
          Accept: accept,
          ...(forge.token !== null && { Authorization: `Bearer ${forge.token}` }),
          ...(etag !== null && { 'If-None-Match': etag }),
        },
        timeoutMs: requestMs,
        maxBytes: isDiffRequested ? maxDiffBytes : maxResponseBytes,
        whenTooLarge: isDiffRequested ? 'cut' : 'fail',
      },
      this.deps.signal,
    )
    if (response.kind === 'failure') return networkFailure(response)
    if (response.status === 304 && etag !== null) return { kind: 'unchanged' }
    return response.status === 200 ? response : this.responseFailure(response, forge)
  }

  private parseResponse<T>(
    { body, headers }: OutboundResponse,
    read: (body: Buffer) => T | null,
    noun: string,
  ): ForgeResult<T> | ForgeFailure {
    const value = read(body)
    if (value === null) return { ...failure(`the response of the forge is not a ${noun}`), isPermanent: true }
    const { etag } = headers
    return { kind: 'fetched', value, etag: etag !== undefined && validEtag.test(etag) ? etag : null }
  }

  private responseFailure(
    { status, headers }: OutboundResponse,
    { owner, name }: ForgeAddress,
  ): ForgeFailure {
    const backoffMs = this.backoffMs(headers)
    if (status === 429 || (status === 403 && backoffMs > 0)) {
      const seconds = Math.ceil(backoffMs / 1000)
      return {
        ...failure(`the rate limit of the forge is exceeded for ${seconds} seconds`),
        backoffMs,
      }
    }
    if (status === 401) return permanentFailure('the forge rejects the token')
    if (status === 403) return permanentFailure('the forge does not let the token read pull requests')
    if (status === 404 || status === 410) {
      const problem = `the forge does not have this at ${owner}/${name}, or hides it from this token`
      return { ...permanentFailure(problem), status }
    }
    if (status >= 300 && status < 400) {
      return permanentFailure(
        `the forge redirects (${status}), which is not followed: set its current api, owner and name`,
      )
    }
    return { ...failure(`the forge answered ${status}`), status, backoffMs }
  }

  /** Prefers `Retry-After` to GitHub's own header. */
  private backoffMs(headers: OutboundResponse['headers']): number {
    const after = headers['retry-after']
    const quotaEnds = headers['x-ratelimit-remaining'] === '0' ? headers['x-ratelimit-reset'] : undefined
    const waitMs =
      after !== undefined
        ? /^\d+$/.test(after)
          ? Number(after) * 1000
          : Date.parse(after) - this.deps.now()
        : Number(quotaEnds ?? Number.NaN) * 1000 - this.deps.now()
    return Number.isNaN(waitMs) ? 0 : Math.min(Math.max(waitMs, 1000), maxBackoffMs)
  }
}

const json = 'application/vnd.github+json'

const tooLargeStatus = 406

const validEtag = /^[\x20-\x7e]{1,500}$/

const failure = (problem: string): ForgeFailure => ({
  kind: 'failure',
  problem,
  status: null,
  isPermanent: false,
  backoffMs: 0,
})

const permanentFailure = (problem: string): ForgeFailure => ({ ...failure(problem), isPermanent: true })

/** A forge that does not know the media type returns HTML or JSON. */
const isDiff = ({ headers }: OutboundResponse) => !/\b(?:json|html)\b/i.test(headers['content-type'] ?? '')

function diffOf({ body, isTruncated }: OutboundResponse): Diff {
  const complete = isTruncated ? body.subarray(0, body.lastIndexOf('\n') + 1) : body
  return { kind: 'diff', text: complete.toString(), isCut: isTruncated }
}

function networkFailure({ category, detail }: OutboundFailure): ForgeFailure {
  switch (category) {
    case 'blocked_address':
      return permanentFailure(
        'its host has an address that is not public. An operator can allow it: outbound.allow',
      )
    case 'bad_url':
      return permanentFailure(
        detail === 'plain_http'
          ? 'its address must begin with https://, or http:// where an operator allows its host in outbound.allow'
          : 'its address cannot be used',
      )
    case 'too_large':
      return failure('the response of the forge is too large')
    default:
      return failure(`the forge cannot be reached (${category})`)
  }
}
