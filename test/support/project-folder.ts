import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { eventsOf, type LoggedEvent } from './event-log.ts'
import { eventually } from './eventually.ts'
import type { Answer, RequestOptions } from './http-client.ts'
import { startWorkroom, type Workroom, type WorkroomOptions } from './workroom.ts'

/** Where the documents of the project `general` are read and written. */
export const docs = '/v1/fs/projects/general/docs'

/** How long the disk is waited for: a busy machine is slow, and not wrong. */
const patienceMs = 20_000

export interface Written {
  id: string
  filename: string
  /** `/v1/fs/…` */
  path: string
  revision: string
}

/** The folder of the project `general` under a person's hands, beside the server that serves it. */
export interface ProjectFolder extends Workroom {
  /** Absolute path of a file within the project's folder. */
  at(path: string): string
  /** Writes a file by hand, in folders made as needed. @returns its absolute path */
  write(path: string, text: string | Uint8Array): string
  /** Writes a document over HTTP, `# Title` above the text. */
  put(title: string, text?: string, options?: RequestOptions): Promise<Written>
  /** The names and ids of the documents, as they are listed. */
  list(): Promise<Map<string, string>>
  /** Revisions of a document, oldest first. */
  revisions(path: string): Promise<{ revision: string; author: string; via: string; bytes: number }[]>
  /** What has happened to a document, oldest first. */
  events(id: string): LoggedEvent[]
  /** What has happened at a place of the tree, its name within `library/documents`, oldest first. */
  eventsAt(name: string): LoggedEvent[]
  happened(id: string, count: number): Promise<LoggedEvent[]>
  appeared(name: string): Promise<LoggedEvent>
  /** Looks at everything on the disk, and waits until it has been taken in: nothing else is under way then. */
  scan(): Promise<void>
}

export async function openProjectFolder(t: Test, options: WorkroomOptions = {}): Promise<ProjectFolder> {
  const room = await startWorkroom(t, options)
  const { home } = room
  const at = (path: string) => join(home, 'projects', 'general', path)
  const events = (id: string) => eventsOf(home).filter(({ documentId }) => documentId === id)
  const eventsAt = (name: string) =>
    eventsOf(home).filter(({ detail }) => detail.path.endsWith(`/library/documents/${encodeURI(name)}`))
  const desk = {
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
      const answer = await room.request('PUT', `${docs}/${name}.md`, {
        body: `# ${title}\n\n${text}`,
        ...options,
      })
      requireStatus(answer, 201)
      const { id, filename, path } = answer.json
      return { id, filename, path, revision: answer.headers['x-service-revision'] as string }
    },
    async list() {
      const { json } = requireStatus(await room.request('GET', docs), 200)
      const rows: { filename: string; id: string }[] = json.documents
      return new Map(rows.map(({ filename, id }) => [filename, id]))
    },
    async revisions(path: string) {
      const { json } = requireStatus(await room.request('GET', `${path}/_revisions`), 200)
      return json.revisions.toReversed()
    },
    happened: (id: string, count: number) =>
      eventually(() => (events(id).length >= count ? events(id) : null), patienceMs),
    appeared: (name: string) => eventually(() => eventsAt(name)[0], patienceMs),
    scan: () => room.workspace.maintenance.scan(),
  }
  // Getters of the room, which follow a restart, are kept by copying their descriptors.
  return Object.defineProperties(desk, Object.getOwnPropertyDescriptors(room)) as ProjectFolder
}

/** A text on the disk as a GET answers it: what stands below the frontmatter that the server adds. */
export const bodyOf = (answer: Answer): string => answer.text.replace(/^---\n[\s\S]*?\n---\n/, '')

function requireStatus(answer: Answer, status: number): Answer {
  if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text}`)
  return answer
}

/** Removes files as `rm -rf` does. */
export const remove = (...paths: string[]): void => {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}
