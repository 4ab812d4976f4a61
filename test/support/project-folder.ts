import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { eventsOf, type LoggedEvent } from './event-log.ts'
import { eventually } from './eventually.ts'
import type { HttpResponse, RequestOptions } from './http-client.ts'
import { startWorkroom, type Workroom, type WorkroomOptions } from './workroom.ts'

/** The tree path of the documents of the project `general`. */
export const docs = '/v1/fs/projects/general/docs'

/** How long a file must be missing before its document counts as deleted. */
const deletionDelayMs = 2000

export interface WrittenDocument {
  id: string
  filename: string
  path: string
  revision: string
}

/** A workspace with access to the folder of its project `general` on the disk. */
export interface ProjectFolder extends Workroom {
  at(path: string): string
  /** Writes a file on the disk, creating its folders. @returns its absolute path */
  write(path: string, text: string | Uint8Array): string
  put(title: string, text?: string, options?: RequestOptions): Promise<WrittenDocument>
  /** The ids of the listed documents by file name. */
  list(): Promise<Map<string, string>>
  revisions(path: string): Promise<{ revision: string; author: string; via: string; bytes: number }[]>
  events(id: string): LoggedEvent[]
  /** The events of a name within `library/documents`, oldest first. */
  eventsAt(name: string): LoggedEvent[]
  waitForEvents(id: string, count: number): Promise<LoggedEvent[]>
  waitForEventAt(name: string): Promise<LoggedEvent>
  /** Scans the disk and waits until everything is ingested. */
  scan(): Promise<void>
  /** Advances the clock until a missing file counts as deleted, and waits until the server has decided on all. */
  passDeletionDelay(): Promise<void>
}

export async function openProjectFolder(t: Test, options: WorkroomOptions = {}): Promise<ProjectFolder> {
  const workroom = await startWorkroom(t, options)
  const { home } = workroom
  const at = (path: string) => join(home, 'projects', 'general', path)
  const events = (id: string) => eventsOf(home).filter(({ documentId }) => documentId === id)
  const eventsAt = (name: string) =>
    eventsOf(home).filter(({ detail }) => detail.path.endsWith(`/library/documents/${encodeURI(name)}`))
  const folder = {
    at,
    events,
    eventsAt,
    write(path: string, text: string | Uint8Array) {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
      return at(path)
    },
    async put(title: string, text = 'Text.\n', options: RequestOptions = {}) {
      const name = title.toLowerCase().replaceAll(' ', '-')
      const response = await workroom.request('PUT', `${docs}/${name}.md`, {
        body: `# ${title}\n\n${text}`,
        ...options,
      })
      requireStatus(response, 201)
      const { id, filename, path } = response.json
      return { id, filename, path, revision: response.headers['x-service-revision'] as string }
    },
    async list() {
      const { json } = requireStatus(await workroom.request('GET', docs), 200)
      const rows: { filename: string; id: string }[] = json.documents
      return new Map(rows.map(({ filename, id }) => [filename, id]))
    },
    async revisions(path: string) {
      const { json } = requireStatus(await workroom.request('GET', `${path}/_revisions`), 200)
      return json.revisions.toReversed()
    },
    waitForEvents: (id: string, count: number) =>
      eventually(() => (events(id).length >= count ? events(id) : null)),
    waitForEventAt: (name: string) => eventually(() => eventsAt(name)[0]),
    scan: () => workroom.workspace.maintenance.scan(),
    async passDeletionDelay() {
      // Notices whatever is missing before the witness, upon which it is decided last.
      await folder.scan()
      const { status, json } = await workroom.request('PUT', '/v1/fs/projects/general/posts/witness.md', {
        body: '# Witness\n',
      })
      if (status !== 201) throw new Error(`${status}: ${JSON.stringify(json)}`)
      rmSync(at(`posts/${json.filename}`))
      await folder.scan()
      workroom.clock.advance(deletionDelayMs)
      await folder.waitForEvents(json.id, 2)
    },
  }
  // Copies descriptors, because the getters return new values after a restart.
  return Object.defineProperties(folder, Object.getOwnPropertyDescriptors(workroom)) as ProjectFolder
}

/** The text of a GET below the server's frontmatter. */
export const bodyOf = (response: HttpResponse): string => response.text.replace(/^---\n[\s\S]*?\n---\n/, '')

function requireStatus(response: HttpResponse, status: number): HttpResponse {
  if (response.status !== status) throw new Error(`${response.status}: ${response.text}`)
  return response
}

export const remove = (...paths: string[]): void => {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}
