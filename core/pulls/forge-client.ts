import type { Outbound, OutboundAnswer, OutboundFailure } from '../../data/outbound/http.ts'
import type { ForgeAddress } from './forge-fields.ts'
import { type ForgePull, parsePull, parsePulls } from './forge-responses.ts'

/** Why a forge did not tell what it was asked. */
export interface ForgeFailure {
  kind: 'failure'
  /** In words, as the end of a sentence; nothing in it was written by the forge. */
  problem: string
  /** Of its answer; null where it gave none that counts. */
  status: number | null
  /** Whether it will be so again: the address or the token is wrong. */
  isPermanent: boolean
  /** How long it wants to hear nothing, in milliseconds. */
  backoffMs: number
}

/** Whether a forge knows of no such thing. */
export const isMissing = ({ status }: ForgeFailure): boolean => status === 404 || status === 410

interface ForgeResult<T> {
  kind: 'told'
  value: T
  etag: string | null
}

/** What was asked for has not changed since the etag. */
interface Unchanged {
  kind: 'unchanged'
}

/** `text` null: the forge does not show a diff as large as this one. */
interface Diff {
  kind: 'diff'
  text: string | null
  isCut: boolean
}

/** How many pull requests a page of the list has. */
export const pageLength = 50

const requestMs = 5000
/** Fifty pull requests with long descriptions, and what else GitHub says of each. */
const maxAnswerBytes = 8 * 1024 * 1024
const maxDiffBytes = 1024 * 1024
/** Longer than this no forge is waited for. */
const maxBackoffMs = 60 * 60 * 1000

interface ForgeClientDeps {
  outbound: Outbound
  /** Unix milliseconds. */
  now: () => number
  /** Ends every request. */
  signal: AbortSignal
}

/** Asks forges that speak GitHub's REST: GitHub, Gitea and Forgejo. */
export class ForgeClient {
  private readonly deps: ForgeClientDeps

  constructor(deps: ForgeClientDeps) {
    this.deps = deps
  }

  /** A page of the pull requests, most recently changed first where the forge can sort so. @param page from 1 */
  async list(
    forge: ForgeAddress,
    page: number,
    etag: string | null,
  ): Promise<ForgeResult<ForgePull[]> | Unchanged | ForgeFailure> {
    // `limit` is what Gitea and Forgejo call `per_page`.
    const query = `state=all&sort=updated&direction=desc&per_page=${pageLength}&limit=${pageLength}&page=${page}`
    const answer = await this.get(forge, `pulls?${query}`, json, etag)
    return 'headers' in answer ? this.parseResponse(answer, parsePulls, 'list of pull requests') : answer
  }

  /** One pull request. */
  async pull(
    forge: ForgeAddress,
    number: number,
    etag: string | null,
  ): Promise<ForgeResult<ForgePull> | Unchanged | ForgeFailure> {
    const answer = await this.get(forge, `pulls/${number}`, json, etag)
    return 'headers' in answer ? this.parseResponse(answer, parsePull, 'pull request') : answer
  }

  /** The changes of a pull request, up to 1 MB of them. GitHub is asked by media type, the others by name. */
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
  ): Promise<OutboundAnswer | Unchanged | ForgeFailure> {
    const isDiffWanted = accept !== json
    const answer = await this.deps.outbound.request(
      {
        method: 'GET',
        url: `${forge.api}/repos/${forge.owner}/${forge.name}/${path}`,
        headers: {
          Accept: accept,
          ...(forge.token !== null && { Authorization: `Bearer ${forge.token}` }),
          ...(etag !== null && { 'If-None-Match': etag }),
        },
        timeoutMs: requestMs,
        maxBytes: isDiffWanted ? maxDiffBytes : maxAnswerBytes,
        whenTooLarge: isDiffWanted ? 'cut' : 'fail',
      },
      this.deps.signal,
    )
    if (answer.kind === 'failure') return networkFailure(answer)
    if (answer.status === 304 && etag !== null) return { kind: 'unchanged' }
    return answer.status === 200 ? answer : this.refusal(answer, forge)
  }

  private parseResponse<T>(
    { body, headers }: OutboundAnswer,
    read: (body: Buffer) => T | null,
    what: string,
  ): ForgeResult<T> | ForgeFailure {
    const value = read(body)
    if (value === null)
      return { ...failure(`the forge answered something that is no ${what}`), isPermanent: true }
    const { etag } = headers
    return { kind: 'told', value, etag: etag !== undefined && validEtag.test(etag) ? etag : null }
  }

  private refusal({ status, headers }: OutboundAnswer, { owner, name }: ForgeAddress): ForgeFailure {
    const backoffMs = this.backoffMs(headers)
    if (status === 429 || (status === 403 && backoffMs > 0)) {
      const seconds = Math.ceil(backoffMs / 1000)
      return {
        ...failure(`the rate limit of the forge is reached for ${seconds} seconds`),
        backoffMs,
      }
    }
    if (status === 401) return permanentFailure('the forge does not accept the token')
    if (status === 403) return permanentFailure('the forge does not let the token read pull requests')
    if (status === 404 || status === 410) {
      const problem = `the forge knows nothing of this at ${owner}/${name}, or does not show it to this token`
      return { ...permanentFailure(problem), status }
    }
    if (status >= 300 && status < 400) {
      return permanentFailure(
        `the forge sends elsewhere (${status}), which is not followed: give its present api, owner and name`,
      )
    }
    return { ...failure(`the forge answered ${status}`), status, backoffMs }
  }

  /** What the forge asks for: `Retry-After`, or GitHub's own header where nothing is left of the quota. */
  private backoffMs(headers: OutboundAnswer['headers']): number {
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

/** What GitHub answers for a diff that it does not show, because of its size. */
const tooLargeStatus = 406

/** What can be sent back. */
const validEtag = /^[\x20-\x7e]{1,500}$/

const failure = (problem: string): ForgeFailure => ({
  kind: 'failure',
  problem,
  status: null,
  isPermanent: false,
  backoffMs: 0,
})

const permanentFailure = (problem: string): ForgeFailure => ({ ...failure(problem), isPermanent: true })

/** Pages and records are what a forge answers that does not know the type. */
const isDiff = ({ headers }: OutboundAnswer) => !/\b(?:json|html)\b/i.test(headers['content-type'] ?? '')

/** Up to the last whole line. */
function diffOf({ body, isTruncated }: OutboundAnswer): Diff {
  const whole = isTruncated ? body.subarray(0, body.lastIndexOf('\n') + 1) : body
  return { kind: 'diff', text: whole.toString(), isCut: isTruncated }
}

/** Why a forge could not be spoken to. */
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
