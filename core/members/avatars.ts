import { LRUCache } from 'lru-cache'
import type { Outbound } from '../../data/outbound/http.ts'
import type { Member } from '../access/member.ts'
import type { Clock } from '../time/clock.ts'

interface AvatarPicture {
  type: string
  bytes: Buffer
}

interface CachedPicture {
  /** Null if it could not be fetched. */
  picture: Promise<AvatarPicture | null>
  fetchedMs: number
}

const types = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])
const timeoutMs = 5000
const maxBytes = 256 * 1024
const maxCached = 200
const cachedMs = 60 * 60 * 1000

/** Fetches members' pictures, so that readers' browsers ask no other site for them. */
export class Avatars {
  private readonly cache = new LRUCache<string, CachedPicture>({ max: maxCached })

  constructor(private readonly deps: { outbound: Pick<Outbound, 'request'>; clock: Clock }) {}

  async pictureOf({ avatarUrl }: Pick<Member, 'avatarUrl'>): Promise<AvatarPicture | null> {
    if (avatarUrl === '') return null
    const nowMs = this.deps.clock.now()
    const entry = this.cache.get(avatarUrl)
    if (entry && Math.abs(nowMs - entry.fetchedMs) < cachedMs) return entry.picture
    const picture = this.fetch(avatarUrl)
    this.cache.set(avatarUrl, { picture, fetchedMs: nowMs })
    return picture
  }

  private async fetch(url: string): Promise<AvatarPicture | null> {
    const response = await this.deps.outbound.request({
      method: 'GET',
      url,
      headers: { Accept: [...types].join(', ') },
      timeoutMs,
      maxBytes,
      whenTooLarge: 'fail',
    })
    if (response.kind === 'failure' || response.status !== 200) return null
    const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = response.headers
    const type = contentType.split(';')[0]!.trim().toLowerCase()
    return types.has(type) && encoding === 'identity' ? { type, bytes: response.body } : null
  }
}
