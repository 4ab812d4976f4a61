import type { Test } from 'tap'
import type { MarkdownService } from '../../core/markdown/index.ts'
import type { Actor } from './chat.ts'
import type { HttpResponse, RequestOptions } from './http-client.ts'
import { openProjectFolder, type ProjectFolder } from './project-folder.ts'
import { sharedMarkdown } from './shared-markdown.ts'

interface Block {
  id: string
  writable: boolean
  text: string
}

interface PresentMember {
  memberId: string
  name: string
  type: string
  kind: string
  block: string | null
  lastSeenAt: number
}

/** What tests of presence in documents share: a project with three members. */
interface DocumentPresence {
  workroom: ProjectFolder
  /** The parser of its server, for servers that a test starts itself. */
  markdown: MarkdownService
  /** A person of the project besides the owner. */
  grace: Actor
  /** An agent of the project. */
  bot: Actor
  sendHeartbeat(path: string, query?: string, options?: RequestOptions): Promise<HttpResponse>
  leave(path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Those who are in a document, without becoming present in it. */
  presentIn(id: string): Promise<PresentMember[]>
  namesIn(id: string): Promise<string[]>
  /** The block at which a member is in a document. */
  blockOf(id: string, name: string): Promise<string | null | undefined>
  blocksOf(path: string): Promise<Block[]>
  /** The id of the first block whose text equals or begins with this. */
  blockAt(path: string, text: string): Promise<string>
}

export async function openDocumentPresence(t: Test): Promise<DocumentPresence> {
  const markdown = sharedMarkdown(t)
  const workroom = await openProjectFolder(t, { faults: { markdown } })
  const { request } = workroom
  const sendHeartbeat: DocumentPresence['sendHeartbeat'] = (path, query = '', options = {}) =>
    request('POST', `${path}/_presence${query}`, options)
  const presentIn: DocumentPresence['presentIn'] = async (id) => {
    const { documents } = (await request('GET', '/v1/presence')).json
    return documents.find(({ docId }: { docId: string }) => docId === id)?.here ?? []
  }
  const blocksOf: DocumentPresence['blocksOf'] = async (path) =>
    (await request('GET', `${path}?view=blocks`)).json.blocks
  return {
    workroom,
    markdown,
    grace: await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general'),
    bot: await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general'),
    sendHeartbeat,
    leave: (path, options = {}) => sendHeartbeat(path, '?leave', options),
    presentIn,
    namesIn: async (id) => (await presentIn(id)).map(({ name }) => name),
    blockOf: async (id, name) => (await presentIn(id)).find((row) => row.name === name)?.block,
    blocksOf,
    blockAt: async (path, text) => (await blocksOf(path)).find((block) => block.text.startsWith(text))!.id,
  }
}
