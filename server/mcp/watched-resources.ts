import { hash } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { InterfaceClient } from './interface-client.ts'
import { readResource, uriOf } from './resources.ts'

/** A URI as a client wrote it: notifications name it so. */
interface WatchedResource {
  uri: string
  /** Of what events do not name: it is compared instead. null for documents, whose events do. */
  fingerprint: string | null
}

/** A description of an event, as far as it says what changed. */
export interface PathEvent {
  type: string
  path?: string | null
  previousPath?: string
}

const maxWatched = 100

/** Files of projects that events name by their path. */
const documentPath = /^workroom:\/\/projects\/[^/]+\/(?:docs|posts|drafts|board|skills)\//

/** The resources that a stream follows. */
export class WatchedResources {
  private readonly byUri = new Map<string, WatchedResource>()

  /** @throws ProtocolError where there is no such resource for the caller, and above the limit */
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

  /** The URIs of those that changed, of which the caller may know. */
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

/** What can no longer be read has not changed for this caller. */
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
