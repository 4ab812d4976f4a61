import type { Caller } from '../../../core/access/member.ts'
import type { LinkPreview } from '../../../core/previews/previews.ts'
import type { MessageView, RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { avatar } from '../avatar.ts'
import type { Html } from '../html.ts'

/** By the ids of messages, unless it says otherwise. */
export interface RenderedMessages {
  texts: ReadonlyMap<string, string>
  /** Of the pages that they link to; only of messages that have some. */
  previews: ReadonlyMap<string, LinkPreview[]>
  /** Of the authors, by their ids. */
  avatars: ReadonlyMap<string, Html>
}

export async function renderedMessages(
  { directory, rendering }: Workspace,
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
  const avatars = messages.map(({ author: { _id } }): [string, Html] => [
    _id,
    avatar(directory.members.find(_id)!),
  ])
  return { texts, previews: new Map(previews), avatars: new Map(avatars) }
}
