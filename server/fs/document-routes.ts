import { z } from 'zod'
import type { Documents, FileAddress } from '../../core/documents/index.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { Reading } from '../../core/revisions/reading.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type RouteRefusal, type Routes } from '../context.ts'
import { deleteConditions, readConditions, revisionHeaders, writeConditions } from '../described-headers.ts'
import { invalidInput } from '../input-refusals.ts'
import { readMarkdown } from '../middleware/body.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import {
  blocksView,
  deleted,
  documentFolder,
  outlineView,
  revisionList,
  written,
} from '../schemas/documents.ts'
import { bodyModel } from '../schemas/model.ts'
import { editFields, readEdits, withRevisionOfConflict } from './edits.ts'
import { sendFileOrFolder } from './file-or-folder.ts'
import { expectedRevision, preconditionOf } from './preconditions.ts'
import { refused, refusedView, viewParameter } from './requested-view.ts'
import { sendDocument, sendView, sendWriteResult } from './responses.ts'

const restoreRevision = accepts({ body: bodyModel('RevisionToRestore', { revision: z.string() }) })
const revision = z.string().describe('An older revision, as _revisions lists it').optional()
const readFile = accepts({ query: { ...viewParameter, revision }, headers: readConditions })

const readFileOrFolder = accepts({
  query: { ...viewParameter, revision, ...pageParameters },
  headers: readConditions,
})

const writeFile = accepts({
  query: {
    block: z.string().describe('The block to write, by its id').optional(),
    ...expectedRevision,
    ...refusedView,
  },
  body: 'markdown',
  headers: writeConditions,
})

const editFile = accepts({
  query: { ...expectedRevision, ...refusedView },
  body: editFields,
  headers: writeConditions,
})

const deleteFile = accepts({
  query: {
    ...expectedRevision,
    ...refusedView,
    block: refused('DELETE removes a whole file. To remove a block PUT the file without it.'),
  },
  headers: deleteConditions,
})

/** Any request for a file may be refused with these. */
export const fileRefusals: readonly RouteRefusal[] = ['forbidden', 'not_found']

export type Noun = 'post' | 'draft' | 'document' | 'card' | 'home page'

interface FileRoutesOptions {
  noun: Noun
  /** Such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => FileAddress
  refuses?: readonly RouteRefusal[]
  live: Pick<Workspace['live'], 'isLive'>
  documents: Pick<Documents, 'reads' | 'writes' | 'patches' | 'trash'>
  markdownBytes: number
  /** Lists a folder of the requested name; null if there is none. Only for files that lie in folders. */
  folder?: (ctx: RouteContext) => Promise<object | null>
}

export const documentFileRoutes = (options: FileRoutesOptions): Routes =>
  writableFileRoutes(options).use(deletionRoutes(options).routes())

/** For files that cannot be deleted. */
export function writableFileRoutes(options: FileRoutesOptions): Routes {
  const { noun, path, addressOf, refuses = fileRefusals, markdownBytes, live, folder } = options
  const { reads, writes, patches } = options.documents
  return newRoutes()
    .purpose(`List the revisions of a ${noun}`)
    .answers(revisionList)
    .refuses(...refuses)
    .get(`${path}/_revisions`, async (ctx) => {
      ctx.body = await reads.revisions(ctx.state.caller, addressOf(ctx.params))
    })
    .purpose(`Write an older revision of a ${noun} again`)
    .answers(written, 201)
    .answersHeaders(revisionHeaders)
    .refuses(...refuses, 'conflict')
    .post(`${path}/_restore`, restoreRevision, async (ctx) => {
      const address = addressOf(ctx.params)
      const { revision } = await restoreRevision.fields(ctx)
      sendWriteResult(ctx, await writes.restore(ctx.state.caller, address, revision))
    })
    .purpose(
      `Read a ${noun}${folder ? ' or list a folder' : ''}; ?view=blocks, ?view=outline, ?revision=${folder ? ', ?limit=, ?cursor=' : ''}`,
    )
    .answers('text/markdown')
    .answers(z.union([blocksView, outlineView, ...(folder ? [documentFolder] : [])]))
    .answersHeaders({ ...revisionHeaders, 'X-Service-Live': '1 while somebody has it open to type in it' })
    .refuses(...refuses)
    .get(path, folder ? readFileOrFolder : readFile, async (ctx) => {
      const address = addressOf(ctx.params)
      if (folder && requestedPage(ctx)) {
        const read = () => reads.read(ctx.state.caller, address).then(refusePage)
        await sendFileOrFolder(ctx, read, folder)
        return
      }
      const { view, revision } = readFile.query(ctx)
      if (view === undefined) {
        const read = async () => {
          const reading = await reads.read(ctx.state.caller, address, revision)
          setLiveHeader(ctx, reading, live)
          sendDocument(ctx, reading)
        }
        await (folder && revision === undefined ? sendFileOrFolder(ctx, read, folder) : read())
      } else if (revision === undefined) {
        const viewed = await reads.view(ctx.state.caller, address, view)
        setLiveHeader(ctx, viewed.reading, live)
        await sendView(ctx, viewed)
      } else {
        throw new WorkspaceError('bad_request', 'A view shows the current revision. Leave ?revision= out.')
      }
    })
    .purpose(noun === 'post' ? 'Publish a post' : `Create or replace a ${noun}; ?block= writes one block`)
    .answers(written, 201)
    .answersHeaders(revisionHeaders)
    .refuses(...refuses, 'conflict')
    .put(path, writeFile, async (ctx) => {
      const { block, expectedRevision: expected } = writeFile.query(ctx)
      const address = addressOf(ctx.params)
      const precondition = preconditionOf(ctx.req.headers, expected)
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
      noun === 'post' ? 'Refused: a published post cannot be changed' : `Edit a ${noun}, all edits or none`,
    )
    .answers(written, 201)
    .answersHeaders(revisionHeaders)
    .refuses(...refuses, 'conflict')
    .patch(path, editFile, async (ctx) => {
      const { expectedRevision: inQuery } = editFile.query(ctx)
      const address = addressOf(ctx.params)
      const { edits, expectedRevision: inBody } = await readEdits(ctx, markdownBytes)
      const precondition = preconditionOf(ctx.req.headers, inQuery, inBody)
      const patch = { edits, precondition, maxBytes: markdownBytes }
      const write = () => patches.patch(ctx.state.caller, address, patch)
      sendWriteResult(ctx, await withRevisionOfConflict(ctx, write))
    })
}

function deletionRoutes({
  noun,
  path,
  addressOf,
  refuses = fileRefusals,
  documents,
}: FileRoutesOptions): Routes {
  return newRoutes()
    .purpose(`Delete a ${noun}; it can be restored for 30 days`)
    .answers(deleted)
    .refuses(...refuses, 'conflict')
    .delete(path, deleteFile, async (ctx) => {
      const precondition = preconditionOf(ctx.req.headers, deleteFile.query(ctx).expectedRevision)
      ctx.body = await documents.trash.remove(ctx.state.caller, addressOf(ctx.params), precondition)
    })
}

/** Notifies programs that people are typing in the file, so that its revision will soon change. */
function setLiveHeader(
  ctx: RouteContext,
  { documentId }: Reading,
  live: Pick<Workspace['live'], 'isLive'>,
): void {
  if (documentId !== undefined && live.isLive(documentId)) ctx.set('X-Service-Live', '1')
}

function refusePage(): never {
  throw invalidInput('Only a folder has pages. Leave ?limit= and ?cursor= out to read a file.')
}
