import { Readable } from 'node:stream'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { documentPathOf } from './mount-paths.ts'
import type { MountedFile } from './types.ts'

const maxCached = 20_000

type Contents = SharedDeps['contents']

/** Documents as files of the mount, cached by record, which a change replaces. */
export class DocumentFiles {
  private cache = new WeakMap<DocumentRecord, MountedFile>()
  private count = 0

  constructor(private readonly contents: Contents) {}

  /** The same frozen file until the document changes, for the server to cache. Null for a plain file. */
  of(record: DocumentRecord): MountedFile | null {
    return this.cache.get(record) ?? this.add(record)
  }

  private add(record: DocumentRecord): MountedFile | null {
    if (documentPathOf(record.path) === null) return null
    const file = Object.freeze(new DocumentFile(this.contents, record))
    if (++this.count > maxCached) {
      this.cache = new WeakMap()
      this.count = 1
    }
    this.cache.set(record, file)
    return file
  }
}

class DocumentFile implements MountedFile {
  readonly kind = 'file'
  readonly name: string
  readonly type = 'text/markdown'
  readonly size: number
  readonly changedMs: number
  readonly tag: string
  readonly isTagWeak = false
  private readonly contents: Contents
  private readonly id: string

  constructor(contents: Contents, record: DocumentRecord) {
    this.contents = contents
    this.id = record.id
    this.name = record.path.slice(record.path.lastIndexOf('/') + 1)
    this.size = record.bytes
    this.changedMs = record.stamp?.mtimeMs ?? record.activityMs
    this.tag = record.revision
  }

  stream(range?: { start: number; end: number }): Readable {
    return Readable.from([this.bytes(range)])
  }

  bytes(range?: { start: number; end: number }): Uint8Array {
    const { stored } = this.contents.get(this.id, this.tag)
    return range ? stored.subarray(range.start, range.end + 1) : stored
  }
}
