import { emptyBody } from '../../core/mount/bytes.ts'
import type { Context } from '../context.ts'
import { Conditions, requireUnlocked } from './conditions.ts'
import type { DavContext } from './dav-context.ts'
import { DavError } from './dav-error.ts'
import type { Lock } from './locks.ts'
import { namesOf } from './paths.ts'
import { lockDiscovery } from './properties.ts'
import { childOf, readXml, type XmlElement } from './xml.ts'

const defaultSeconds = 10 * 60
const maxOwnerLength = 1024

/** LOCK (RFC 4918, 9.10) takes or prolongs a lock. A missing file is created empty. */
export async function lock(ctx: Context, davContext: DavContext): Promise<void> {
  const body = await readXml(ctx, 'lockinfo')
  const names = namesOf(ctx.path)
  const conditions = await Conditions.of(ctx, davContext, names)
  if (body) await takeLock(ctx, davContext, conditions, body)
  else await refreshLock(ctx, davContext, conditions)
}

async function takeLock(
  ctx: Context,
  davContext: DavContext,
  conditions: Conditions,
  body: XmlElement,
): Promise<void> {
  const { mount, locks } = davContext
  const { caller } = ctx.state
  const names = namesOf(ctx.path)
  const depth = (ctx.get('Depth') || 'infinity').toLowerCase()
  if (depth !== '0' && depth !== 'infinity') throw new DavError(400, 'A lock has Depth 0 or infinity.')
  const isShared = isSharedLock(body)
  mount.requireWriting(caller, names)
  const existing = await mount.find(caller, names)
  conditions.requireAll(existing?.kind === 'file' ? existing.tag : existing ? '' : null)
  if (!existing) requireUnlocked(davContext, caller, conditions, { names, isListed: true })
  const newLock = await locks.add({
    memberId: caller.member.id,
    names,
    isDeep: depth === 'infinity',
    isShared,
    owner: ownerOf(body),
    seconds: secondsOf(ctx),
  })
  try {
    if (!existing) await mount.put(caller, names, emptyBody, (tag) => tag === null)
  } catch (error) {
    await locks.remove(newLock)
    throw error
  }
  ctx.set('Lock-Token', `<${newLock.token}>`)
  sendLocks(ctx, [newLock], existing ? 200 : 201)
}

async function refreshLock(ctx: Context, { locks }: DavContext, { tokens }: Conditions): Promise<void> {
  const { member } = ctx.state.caller
  const ownLocks = locks
    .on(namesOf(ctx.path))
    .filter(({ memberId, token }) => memberId === member.id && tokens.has(token))
  if (ownLocks.length === 0) {
    throw new DavError(
      412,
      'The If header contains no lock of yours on this resource.',
      'lock-token-matches-request-uri',
    )
  }
  await locks.refresh(ownLocks, secondsOf(ctx))
  sendLocks(ctx, ownLocks, 200)
}

export async function unlock(ctx: Context, { locks }: DavContext): Promise<void> {
  // Some clients leave out the brackets.
  const token = /^\s*(?:<([^<>]+)>|([^<>\s]+))\s*$/.exec(ctx.get('Lock-Token'))?.slice(1).find(Boolean)
  if (token === undefined) throw new DavError(400, 'Name the lock in the header Lock-Token.')
  const lock = locks.on(namesOf(ctx.path)).find((one) => one.token === token)
  if (!lock) throw new DavError(409, 'There is no such lock on this.', 'lock-token-matches-request-uri')
  if (lock.memberId !== ctx.state.caller.member.id)
    throw new DavError(403, 'This lock belongs to another member.')
  await locks.remove(lock)
  ctx.status = 204
}

function isSharedLock(body: XmlElement): boolean {
  const scope = childOf(body, 'lockscope')
  const type = childOf(body, 'locktype')
  const isShared = scope && childOf(scope, 'shared') !== undefined
  if (type && childOf(type, 'write') && scope && (isShared || childOf(scope, 'exclusive'))) return isShared!
  throw new DavError(400, 'A lock is for writing, and exclusive or shared.')
}

function ownerOf(body: XmlElement): Lock['owner'] {
  const owner = childOf(body, 'owner')
  const href = owner && childOf(owner, 'href')
  const text = (href ?? owner)?.text.trim().slice(0, maxOwnerLength) ?? ''
  return { text, isAddress: href !== undefined }
}

function secondsOf(ctx: Context): number {
  const [, seconds] = /^\s*(?:Second-(\d{1,10})|Infinite)/i.exec(ctx.get('Timeout')) ?? [
    null,
    `${defaultSeconds}`,
  ]
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds)
}

function sendLocks(ctx: Context, locks: Lock[], status: 200 | 201): void {
  ctx.status = status
  ctx.set('Content-Type', 'application/xml; charset=utf-8')
  const discovery = lockDiscovery(locks, ctx.state.caller.member.id)
  ctx.body = `<?xml version="1.0" encoding="utf-8"?>\n<D:prop xmlns:D="DAV:"><D:lockdiscovery>${discovery}</D:lockdiscovery></D:prop>\n`
}
