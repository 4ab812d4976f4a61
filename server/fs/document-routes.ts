import type { Address, Documents } from '../../core/documents/index.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { accepts, invalidInput } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { readMarkdown } from '../middleware/body.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { queryText, readFields, text } from '../request-fields.ts'
import { readEdits, withRevisionOfConflict } from './edits.ts'
import { sendFileOrFolder } from './file-or-folder.ts'
import { preconditionOf } from './preconditions.ts'
import { requestedView } from './requested-view.ts'
import { sendDocument, sendView, sendWriteResult } from './responses.ts'

export type Noun = 'post' | 'draft' | 'document' | 'card'

interface FileRoutesOptions {
  noun: Noun
  /** Where such files stand, such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => Address
  documents: Pick<Documents, 'reads' | 'writes' | 'patches' | 'trash'>
  markdownBytes: number
  /** What a folder of the request's name holds, where files lie in folders; null where there is no such folder. */
  folder?: (ctx: RouteContext) => Promise<object | null>
}

/** What every file of the tree can do: be read, viewed, written, deleted, and taken back to what it was. */
export function documentFileRoutes(options: FileRoutesOptions): Routes {
  const { noun, path, addressOf, markdownBytes, folder } = options
  const { reads, writes, patches, trash } = options.documents
  return newRoutes()
    .purpose(`List the revisions of a ${noun}`)
    .get(`${path}/_revisions`, async (ctx) => {
      ctx.body = await reads.revisions(ctx.state.caller, addressOf(ctx.params))
    })
    .purpose(`Write an older revision of a ${noun} again`)
    .post(`${path}/_restore`, accepts({ body: 'json' }), async (ctx) => {
      const address = addressOf(ctx.params)
      const { revision } = await readFields(ctx, { revision: text })
      sendWriteResult(ctx, await writes.restore(ctx.state.caller, address, revision))
    })
    .purpose(
      `Read a ${noun}${folder ? ' or list a folder' : ''}; ?view=blocks, ?view=outline, ?revision=${folder ? ', ?limit=, ?cursor=' : ''}`,
    )
    .get(path, accepts({ query: ['view', 'revision', ...(folder ? pageParameters : [])] }), async (ctx) => {
      const address = addressOf(ctx.params)
      if (folder && requestedPage(ctx)) {
        const read = () => reads.read(ctx.state.caller, address).then(refusePage)
        await sendFileOrFolder(ctx, read, folder)
        return
      }
      const view = requestedView(ctx)
      const revision = queryText(ctx, 'revision')
      if (view === undefined) {
        const read = async () => sendDocument(ctx, await reads.read(ctx.state.caller, address, revision))
        await (folder && revision === undefined ? sendFileOrFolder(ctx, read, folder) : read())
      } else if (revision === undefined) {
        await sendView(ctx, await reads.view(ctx.state.caller, address, view))
      } else {
        throw new WorkspaceError('bad_request', 'A view shows the present revision. Leave ?revision= out.')
      }
    })
    .purpose(noun === 'post' ? 'Publish a post' : `Create or replace a ${noun}; ?block= writes one block`)
    .put(path, accepts({ query: ['block', 'expectedRevision', 'view'], body: 'markdown' }), async (ctx) => {
      refuseView(ctx)
      const address = addressOf(ctx.params)
      const block = queryText(ctx, 'block')
      const precondition = preconditionOf(ctx.req.headers, queryText(ctx, 'expectedRevision'))
      const body = await readMarkdown(ctx, markdownBytes)
      const { caller } = ctx.state
      sendWriteResult(
        ctx,
        block === undefined
          ? await writes.put(caller, address, body, precondition)
          : await writes.putBlock(caller, address, block, body, precondition),
      )
    })
    .purpose(
      noun === 'post' ? 'Refused: a published post stays as it is' : `Edit a ${noun}, all edits or none`,
    )
    .patch(path, accepts({ query: ['expectedRevision', 'view'], body: 'json' }), async (ctx) => {
      refuseView(ctx)
      const address = addressOf(ctx.params)
      const { edits, expectedRevision } = await readEdits(ctx, markdownBytes)
      const expected = [queryText(ctx, 'expectedRevision'), expectedRevision]
      const precondition = preconditionOf(ctx.req.headers, ...expected)
      const patch = { edits, precondition, maxBytes: markdownBytes }
      const write = () => patches.patch(ctx.state.caller, address, patch)
      sendWriteResult(ctx, await withRevisionOfConflict(ctx, write))
    })
    .purpose(`Delete a ${noun}; it can be restored for 30 days`)
    .delete(path, accepts({ query: ['expectedRevision', 'block', 'view'] }), async (ctx) => {
      refuseView(ctx)
      if (ctx.query.block !== undefined) {
        throw new WorkspaceError(
          'bad_request',
          'DELETE removes a whole file. To remove a block PUT the file without it.',
        )
      }
      const precondition = preconditionOf(ctx.req.headers, queryText(ctx, 'expectedRevision'))
      ctx.body = await trash.remove(ctx.state.caller, addressOf(ctx.params), precondition)
    })
}

function refusePage(): never {
  throw invalidInput('Only a folder has pages. Leave ?limit= and ?cursor= out to read a file.')
}

function refuseView(ctx: RouteContext): void {
  if (ctx.query.view === undefined) return
  throw new WorkspaceError('bad_request', 'Views are read-only; PUT the markdown, never the projection.')
}
