import type { Caller } from '../../../core/access/member.ts'
import type { LinkPreview } from '../../../core/previews/previews.ts'
import type { MessageView, RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'

/** By the ids of messages. */
export interface RenderedMessages {
  texts: ReadonlyMap<string, string>
  /** Of the pages that they link to; only of messages that have some. */
  previews: ReadonlyMap<string, LinkPreview[]>
}

export async function renderedMessages(
  { rendering }: Workspace,
  caller: Caller,
  { projectId }: Pick<RoomPage, 'projectId'>,
  messages: readonly MessageView[],
): Promise<RenderedMessages> {
  const texts = await rendering.texts.html(
    caller,
    messages.map(({ _id, body }) => ({ key: _id, body, projectId })),
  )
  const links = await rendering.texts.links(messages.map(({ body }) => body))
  const previews = messages.flatMap(({ _id }, place): [string, LinkPreview[]][] => {
    const known = links[place]!.length > 0 ? rendering.previews.previewsFor(links[place]!) : []
    return known.length > 0 ? [[_id, known]] : []
  })
  return { texts, previews: new Map(previews) }
}
