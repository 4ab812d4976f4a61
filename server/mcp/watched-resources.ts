import { hash, randomUUID } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { LRUCache } from 'lru-cache'
import type { InterfaceClient } from './interface-client.ts'
import { readResource, uriOf } from './resources.ts'

/** Keeps the client's spelling of the URI, for notifications. */
interface WatchedResource {
  uri: string
  /** Compared for resources that events do not name; null for documents, which they do. */
  fingerprint: string | null
}

export interface PathEvent {
  type: string
  path?: string | null
  previousPath?: string
}

const maxWatched = 100

/** Events name these files by path. */
const documentPath = /^workroom:\/\/projects\/[^/]+\/(?:docs|posts|drafts|board|skills)\//

export class WatchedResources {
  private readonly byUri = new Map<string, WatchedResource>()

  /** @throws ProtocolError for a resource that the caller cannot read, and above the limit */
  async add(client: InterfaceClient, uri: string): Promise<void> {
    const canonical = canonicalUri(uri)
    if (!this.byUri.has(canonical) && this.byUri.size >= maxWatched) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A session follows at most ${maxWatched} resources. Unsubscribe from some, or use the tool follow.`,
      )
    }
    const resource = await readResource(client, uri)
    const fingerprint = documentPath.test(canonical) ? null : fingerprintOf(resource)
    this.byUri.set(canonical, { uri, fingerprint })
  }

  remove(uri: string): void {
    this.byUri.delete(canonicalUri(uri))
  }

  /** Returns the changed URIs that the caller may see. */
  async changedBy(client: InterfaceClient, events: readonly PathEvent[]): Promise<string[]> {
    if (events.length === 0 || this.byUri.size === 0) return []
    const changed = new Set<string>()
    for (const event of events) for (const uri of this.namedBy(event)) changed.add(uri)
    for (const watched of this.byUri.values()) {
      if (watched.fingerprint !== null && (await hasChanged(client, watched))) changed.add(watched.uri)
    }
    return [...changed]
  }

  private namedBy({ type, path, previousPath }: PathEvent): string[] {
    if (type === 'skill.publish') {
      if (typeof path !== 'string') return []
      const folder = `${uriOf(path)}/`
      return [...this.byUri].filter(([uri]) => uri.startsWith(folder)).map(([, { uri }]) => uri)
    }
    return [path, previousPath]
      .filter((path) => typeof path === 'string')
      .flatMap((path) => this.byUri.get(uriOf(path))?.uri ?? [])
  }
}

/** A resource that can no longer be read counts as unchanged. */
async function hasChanged(client: InterfaceClient, watched: WatchedResource): Promise<boolean> {
  const resource = await readResource(client, watched.uri).catch(() => null)
  if (resource === null) return false
  const fingerprint = fingerprintOf(resource)
  if (fingerprint === watched.fingerprint) return false
  watched.fingerprint = fingerprint
  return true
}

const fingerprintOf = (resource: { text?: string; blob?: string }): string =>
  hash('sha1', resource.text ?? resource.blob ?? '', 'base64')

const canonicalUri = (uri: string): string => uriOf(uri.replace(/^workroom:\/\//, '/v1/fs/'))

const maxSessionsPerKey = 16

/** Subscriptions in memory, for protocol versions before 2026-07-28. A session has no other state. */
export class Sessions {
  /** Marks sessions of this process: those of an earlier one have lost their subscriptions. */
  private readonly runId = randomUUID().slice(0, 8)
  private readonly byKey = new Map<string, LRUCache<string, WatchedResources>>()

  newId(): string {
    return `${this.runId}-${randomUUID()}`
  }

  isKnown(id: string): boolean {
    return id.startsWith(`${this.runId}-`)
  }

  /** Starts without subscriptions. The least recently used session beyond the limit is forgotten. */
  watchedIn(keyId: string, id: string): WatchedResources {
    const sessions = this.byKey.get(keyId) ?? new LRUCache({ max: maxSessionsPerKey })
    this.byKey.set(keyId, sessions)
    const watched = sessions.get(id) ?? new WatchedResources()
    sessions.set(id, watched)
    return watched
  }

  end(keyId: string, id: string): void {
    this.byKey.get(keyId)?.delete(id)
  }
}
