import type { Caller } from '../../../core/access/member.ts'
import type { LinkPreview } from '../../../core/previews/previews.ts'
import type { MessageView, RoomPage } from '../../../core/rooms/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { avatar } from '../avatar.ts'
import type { Html } from '../html.ts'

/** By message id, unless stated otherwise. */
export interface RenderedMessages {
  texts: ReadonlyMap<string, string>
  /** Previews of linked pages, where a message has some. */
  previews: ReadonlyMap<string, LinkPreview[]>
  /** By author id. */
  avatars: ReadonlyMap<string, Html>
}

export async function renderedMessages(
  { directory, rendering }: Pick<Workspace, 'directory' | 'rendering'>,
  caller: Caller,
  { projectId }: Pick<RoomPage, 'projectId'>,
  messages: readonly MessageView[],
): Promise<RenderedMessages> {
  const texts = await rendering.texts.html(
    caller,
    messages.map(({ _id, body }) => ({ key: _id, body, projectId })),
  )
  const links = await rendering.texts.links(messages.map(({ body }) => body))
  const previews = messages.flatMap(({ _id }, index): [string, LinkPreview[]][] => {
    const cached = links[index]!.length > 0 ? rendering.previews.previewsFor(links[index]!) : []
    return cached.length > 0 ? [[_id, cached]] : []
  })
  const avatars = messages.map(({ author: { _id } }): [string, Html] => [
    _id,
    avatar(directory.members.find(_id)!),
  ])
  return { texts, previews: new Map(previews), avatars: new Map(avatars) }
}
