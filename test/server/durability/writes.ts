import type { HttpResponse } from '../../support/http-client.ts'
import type { Workroom } from '../../support/workroom.ts'

export const general = '/v1/fs/projects/general'

/** Prepares a change in the project `general`. @returns the change, which can be made again if it fails */
export type Prepare = (workroom: Workroom, name: string) => Promise<() => Promise<HttpResponse>>

/** Writes a file of the project. @throws unless it is answered with 201 */
export async function put(
  workroom: Workroom,
  path: string,
  body: string,
): Promise<{ path: string; id: string }> {
  const response = await workroom.request('PUT', `${general}/${path}`, { body })
  if (response.status !== 201) throw new Error(response.text)
  return response.json
}

/** Every kind of change that the server makes on the disk. */
export const deeds = {
  'a new document': async (workroom, name) => () =>
    workroom.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n\nNew.\n` }),
  'a new document in a new folder': async (workroom, name) => () =>
    workroom.request('PUT', `${general}/docs/of-${name}/deep/${name}.md`, { body: `# ${name}\n\nNew.\n` }),
  async 'a document replaced'(workroom, name) {
    await put(workroom, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    return () => workroom.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n\nNew.\n` })
  },
  async 'a new title'(workroom, name) {
    const { id } = await put(workroom, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    return () => workroom.request('PUT', `${general}/docs/${id}`, { body: `# Now ${name}\n\nNew.\n` })
  },
  async 'a block'(workroom, name) {
    const { path } = await put(workroom, `docs/${name}.md`, `# ${name}\n\nOld.\n`)
    const { json } = await workroom.request('GET', `${path}?view=blocks`)
    const block = json.blocks.find(({ writable }: { writable: boolean }) => writable)
    return () => workroom.request('PUT', `${path}?block=${block.id}`, { body: 'New.' })
  },
  async 'a card moved'(workroom, name) {
    const { path } = await put(workroom, 'board/todo/card.md', `# ${name}\n`)
    return () => workroom.request('POST', `${path}/_move`, { body: { toColumn: 'done' } })
  },
  async 'a draft published'(workroom, name) {
    const { path } = await put(workroom, 'drafts/draft.md', `# ${name}\n\nHello @[all](__everyone__).\n`)
    return () => workroom.request('POST', `${path}/_publish`)
  },
  async 'a document deleted'(workroom, name) {
    const { path } = await put(workroom, `docs/${name}.md`, `# ${name}\n`)
    return () => workroom.request('DELETE', path)
  },
  async 'a document back from the trash'(workroom, name) {
    const { path, id } = await put(workroom, `docs/${name}.md`, `# ${name}\n`)
    await workroom.request('DELETE', path)
    return () => workroom.request('POST', `${general}/trash/${id}/_restore`)
  },
} satisfies Record<string, Prepare>

/** Changes over WebDAV, where refusals have another form. */
export const mountDeeds = {
  async 'a document deleted and written again'(workroom, name) {
    const path = `/dav/projects/general/documents/${name}.md`
    await workroom.request('PUT', path, { body: `# ${name}\n\nOld.\n` })
    await workroom.request('DELETE', path)
    return () => workroom.request('PUT', path, { body: `# ${name}\n\nNew.\n` })
  },
} satisfies Record<string, Prepare>
