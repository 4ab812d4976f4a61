import type { HttpResponse } from '../../support/http-client.ts'
import type { Workroom } from '../../support/workroom.ts'

export const general = '/v1/fs/projects/general'

/** Prepares a change in the project `general`. @returns the change, which can be made again if it fails */
export type Prepare = (room: Workroom, name: string) => Promise<() => Promise<HttpResponse>>

/** Writes a file of the project. @throws unless it is answered with 201 */
export async function put(room: Workroom, path: string, body: string): Promise<{ path: string; id: string }> {
  const response = await room.request('PUT', `${general}/${path}`, { body })
  if (response.status !== 201) throw new Error(response.text)
  return response.json
}

/** Every kind of change that the server makes on the disk. */
export const deeds = {
  'a new document': async (room, name) => () =>
    room.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n\nNew.\n` }),
  'a new document in a new folder': async (room, name) => () =>
    room.request('PUT', `${general}/docs/of-${name}/deep/${name}.md`, { body: `# ${name}\n\nNew.\n` }),
  async 'a document replaced'(room, name) {
    await put(room, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    return () => room.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n\nNew.\n` })
  },
  async 'a new title'(room, name) {
    const { id } = await put(room, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    return () => room.request('PUT', `${general}/docs/${id}`, { body: `# Now ${name}\n\nNew.\n` })
  },
  async 'a block'(room, name) {
    const { path } = await put(room, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    const { json } = await room.request('GET', `${path}?view=blocks`)
    const block = json.blocks.find(({ writable }: { writable: boolean }) => writable)
    return () => room.request('PUT', `${path}?block=${block.id}`, { body: 'New.' })
  },
  async 'a card moved'(room, name) {
    const { path } = await put(room, 'board/todo/card.md', `# ${name}\n`)
    return () => room.request('POST', `${path}/_move`, { body: { toColumn: 'done' } })
  },
  async 'a draft published'(room, name) {
    const { path } = await put(room, 'drafts/draft.md', `# ${name}\n\nHello @[all](__everyone__).\n`)
    return () => room.request('POST', `${path}/_publish`)
  },
  async 'a document deleted'(room, name) {
    const { path } = await put(room, `docs/${name}.md`, `# ${name}\n`)
    return () => room.request('DELETE', path)
  },
  async 'a document back from the trash'(room, name) {
    const { path, id } = await put(room, `docs/${name}.md`, `# ${name}\n`)
    await room.request('DELETE', path)
    return () => room.request('POST', `${general}/trash/${id}/_restore`)
  },
} satisfies Record<string, Prepare>

/** Changes over WebDAV, where refusals have another form. */
export const mountDeeds = {
  async 'a document deleted and written again'(room, name) {
    const path = `/dav/projects/general/documents/${name}.md`
    await room.request('PUT', path, { body: `# ${name}\n\nOld.\n` })
    await room.request('DELETE', path)
    return () => room.request('PUT', path, { body: `# ${name}\n\nNew.\n` })
  },
} satisfies Record<string, Prepare>
