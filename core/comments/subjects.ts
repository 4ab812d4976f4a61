import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { PostLookup } from '../documents/addressing/post-lookup.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import { columnOf } from '../documents/model/document-paths.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { CommentSubject } from './comments.ts'

/** Refuses a draft with `bad_request`. */
export const postSubject =
  (posts: Pick<PostLookup, 'find'>): CommentSubject =>
  async (caller, id, intent) => {
    requireScope(caller, intent === 'read' ? 'posts:read' : 'posts:write')
    const { record } = await posts.find(caller, id, intent)
    if (record.kind === 'post') return record
    throw new WorkspaceError('bad_request', 'This is a draft. Publish it first: comments are for posts.')
  }

interface DocumentSubjectDeps {
  catalogue: Catalogue
  addressing: Pick<AddressResolver, 'require'>
}

export const documentSubject =
  ({ catalogue, addressing }: DocumentSubjectDeps): CommentSubject =>
  async (caller: Caller, id, intent) => {
    const record = catalogue.find(id.toLowerCase())
    if (record?.kind === 'document') {
      const address = { project: record.projectId, folder: 'documents', name: record.id } as const
      return (await addressing.require(caller, address, intent)).record
    }
    if (record?.kind === 'card') {
      const column = columnOf(record)!
      const address = { project: record.projectId, folder: 'board', column, name: record.id } as const
      return (await addressing.require(caller, address, intent)).record
    }
    throw new WorkspaceError('not_found', `There is no document or card ${JSON.stringify(id)}.`)
  }
