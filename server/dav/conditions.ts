import type { Caller } from '../../core/access/member.ts'
import type { PathSegments } from '../../core/mount/types.ts'
import { preconditionError } from '../../core/revisions/condition.ts'
import type { Context } from '../context.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import type { Lock } from './locks.ts'
import { hrefOf, namesOfAddress } from './paths.ts'

export class Conditions {
  readonly tokens: ReadonlySet<string>

  private constructor(
    private readonly ctx: Context,
    private readonly davContext: DavContext,
    private readonly names: PathSegments,
    private readonly lists: IfList[],
    private readonly tags: Map<string, string | null>,
  ) {
    this.tokens = new Set(lists.flatMap(({ conditions }) => conditions.flatMap(({ token }) => token ?? [])))
  }

  /** Also looks up the other resources that the conditions name. @throws DavError 400 if malformed */
  static async of(ctx: Context, davContext: DavContext, names: PathSegments): Promise<Conditions> {
    const header = ctx.req.headers.if
    const lists = typeof header === 'string' ? parseIfHeader(header) : []
    const tags = new Map<string, string | null>()
    for (const { resource, conditions } of lists) {
      const target = resolveTarget(ctx, davContext, names, resource)
      if (target === null || conditions.every(({ tag }) => tag === undefined)) continue
      const node = await davContext.mount.find(ctx.state.caller, target)
      tags.set(hrefOf(target, false), node?.kind === 'file' ? node.tag : null)
    }
    return new Conditions(ctx, davContext, names, lists, tags)
  }

  /** @param tag null if nothing is at the path @throws DavError 400 for a malformed If-Match */
  evaluate(tag: string | null): boolean {
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = this.ctx.req.headers
    if (ifMatch !== undefined) {
      const tags = tagsIn(ifMatch)
      if (tags !== '*' && tags.includes(null)) throw new DavError(400, 'If-Match takes tags in quotes, or *.')
      if (!includesTag(tags, tag)) return false
    }
    // Some programs send a tag without quotes with every request. It matches nothing.
    if (ifNoneMatch !== undefined && includesTag(tagsIn(ifNoneMatch), tag)) return false
    return this.lists.length === 0 || this.lists.some((list) => this.listMatches(list, tag))
  }

  requireAll(tag: string | null): void {
    if (!this.evaluate(tag)) throw preconditionError(tag !== null)
  }

  private listMatches({ resource, conditions }: IfList, ownTag: string | null): boolean {
    const target = resolveTarget(this.ctx, this.davContext, this.names, resource)
    if (target === null) return conditions.every(({ isNot }) => isNot)
    const href = hrefOf(target, false)
    const tag = href === hrefOf(this.names, false) ? ownTag : (this.tags.get(href) ?? null)
    const locks = this.davContext.locks.on(target)
    return conditions.every((condition) => {
      const matches =
        condition.tag === undefined
          ? locks.some(({ token }) => token === condition.token)
          : condition.tag === tag
      return matches !== condition.isNot
    })
  }
}

/** Returns null for a resource outside the mount. */
function resolveTarget(
  ctx: Context,
  { publicUrl }: DavContext,
  own: PathSegments,
  resource: string | null,
): PathSegments | null {
  if (resource === null) return own
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).host : undefined
  return namesOfAddress(resource, [ctx.req.headers.host, host])
}

const includesTag = (tags: ReturnType<typeof tagsIn>, tag: string | null): boolean =>
  tag !== null && (tags === '*' || tags.includes(tag))

interface AffectedResource {
  names: PathSegments
  /** Whether its folder gains or loses an entry. */
  isListed?: boolean
  isDeep?: boolean
}

/** @throws DavError 423 for any affected lock whose token the caller did not send */
export function requireUnlocked(
  { locks }: DavContext,
  caller: Caller,
  { tokens }: Conditions,
  affected: AffectedResource,
): void {
  const { names, isListed, isDeep } = affected
  const relevantLocks = [
    ...locks.on(names),
    ...(isDeep ? locks.within(names) : []),
    ...(isListed ? locks.at(names.slice(0, -1)) : []),
  ]
  const isOwn = (lock: Lock) => lock.memberId === caller.member.id && tokens.has(lock.token)
  const ownLocks = relevantLocks.filter(isOwn)
  const blocking = relevantLocks.find(
    (lock) =>
      !isOwn(lock) &&
      !(lock.isShared && ownLocks.some((own) => hrefOf(own.names, true) === hrefOf(lock.names, true))),
  )
  if (!blocking) return
  throw new DavError(
    423,
    `${hrefOf(blocking.names, false)} is locked. Wait until the lock is released or expires.`,
    'lock-token-submitted',
  )
}

interface IfCondition {
  isNot: boolean
  token?: string
  tag?: string
}

interface IfList {
  resource: string | null
  conditions: IfCondition[]
}

const part = /\s*(?:<([^>]*)>|\[((?:W\/)?"[^"]*")\]|([()])|(Not)\b)/iy

/** Parses `If` (RFC 4918, 10.4), of whose lists one must hold. @throws DavError 400 if it is malformed */
function parseIfHeader(header: string): IfList[] {
  const lists: IfList[] = []
  let resource: string | null = null
  let list: IfList | null = null
  let isNot = false
  part.lastIndex = 0
  const text = header.trim()
  while (part.lastIndex < text.length) {
    const [, bracketed, tag, parenthesis, not] = part.exec(text) ?? malformed()
    if (!list && bracketed !== undefined) resource = bracketed
    else if (!list && parenthesis === '(') list = { resource, conditions: [] }
    else if (!list || parenthesis === '(') malformed()
    else if (parenthesis === ')') {
      if (list.conditions.length === 0 || isNot) malformed()
      lists.push(list)
      list = null
    } else if (not !== undefined) isNot = isNot ? malformed() : true
    else {
      list.conditions.push({
        isNot,
        ...(tag === undefined ? { token: bracketed! } : { tag: unquoteTag(tag) }),
      })
      isNot = false
    }
  }
  if (list || lists.length === 0) malformed()
  return lists
}

function malformed(): never {
  throw new DavError(400, 'The header If is malformed.')
}

/** Weakness is ignored: `W/` only marks a file that has just changed. */
const unquoteTag = (tag: string): string => tag.replace(/^W\//, '').slice(1, -1)

/** Parses `If-Match` or `If-None-Match`; null for a malformed tag. */
function tagsIn(header: string): (string | null)[] | '*' {
  if (header.trim() === '*') return '*'
  return header.split(',').map((one) => /^(?:W\/)?"([^"]*)"$/.exec(one.trim())?.[1] ?? null)
}
