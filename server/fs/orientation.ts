import { z } from 'zod'
import type { Caller } from '../../core/access/member.ts'
import { hasScope } from '../../core/access/permissions.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { helpPage, helpTopicsFor, helpTreePath } from '../../core/orientation/help-pages.ts'
import {
  type OrientationData,
  type OrientationRoom,
  orientationPage,
} from '../../core/orientation/orientation-page.ts'
import { treeRoot } from '../../core/paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { helpTopics } from '../schemas/tree.ts'
import { isToolRequest } from '../tool-requests.ts'
import { generatedFile } from './generated.ts'
import { sendGenerated } from './responses.ts'

const maxAsks = 10
const maxNotices = 100
/** Kinds without a list of their own on the page. */
const otherNotices = ['comment', 'reply', 'direct', 'answer', 'removed'] as const

export function orientationRoutes(
  workspace: Pick<Workspace, 'asks' | 'directory' | 'documents' | 'events' | 'identity' | 'inbox' | 'rooms'>,
  publicUrl: string,
): Routes {
  const routes = newRoutes()
  for (const path of ['/', '/README.md']) {
    const page = generatedFile(
      path,
      'Read where you are, what needs your attention and what changed; ?since=',
      async (ctx, { since }) => {
        const { caller } = ctx.state
        const changes = await workspace.events.visits.changesFor(caller, since)
        const page = orientationPage({
          ...detailsFor(workspace, caller),
          publicUrl,
          instructions: instructionsFor(ctx),
          changes,
        })
        sendGenerated(ctx, page, 'text/markdown')
      },
      {
        query: {
          since: z.string().describe('From when on to say what changed; default your last visit').optional(),
        },
      },
    )
    routes.use(page.routes())
  }
  return routes.use(helpRoutes(workspace, publicUrl).routes())
}

const instructionsFor = (ctx: RouteContext) => (isToolRequest(ctx.req) ? 'tools' : 'requests')

const helpRoutes = (
  workspace: Pick<Workspace, 'asks' | 'directory' | 'documents' | 'identity' | 'inbox' | 'rooms'>,
  publicUrl: string,
): Routes =>
  newRoutes()
    .purpose('List the help pages')
    .answers(helpTopics)
    .get('/help', (ctx) => {
      ctx.body = {
        topics: helpTopicsFor(ctx.state.caller).map(({ topic, title, about }) => ({
          filename: `${topic}.md`,
          title,
          about,
          path: helpTreePath(topic),
        })),
      }
    })
    .use(
      generatedFile(
        '/help/:topic.md',
        'Read a help page, with commands',
        (ctx) => {
          const { caller } = ctx.state
          const topic = ctx.params.topic!
          const { projects, rooms } = detailsFor(workspace, caller)
          const project = projects?.find(({ isArchived }) => !isArchived)?.slug
          const page = helpPage(topic, {
            publicUrl,
            caller,
            instructions: instructionsFor(ctx),
            project,
            rooms: rooms ?? [],
          })
          if (page === null) {
            throw new WorkspaceError(
              'not_found',
              `There is no help page ${JSON.stringify(topic)}. ${treeRoot}/help lists them.`,
            )
          }
          sendGenerated(ctx, page, 'text/markdown')
        },
        { refuses: ['not_found'] },
      ).routes(),
    )

function detailsFor(
  workspace: Pick<Workspace, 'asks' | 'directory' | 'documents' | 'identity' | 'inbox' | 'rooms'>,
  caller: Caller,
): Omit<OrientationData, 'publicUrl' | 'instructions' | 'changes'> {
  const { asks, directory, documents, identity, inbox } = workspace
  return {
    workspaceName: identity.name,
    caller,
    projects: hasScope(caller, 'projects:read')
      ? directory.projects.readableBy(caller.member).map(({ id, slug, name, archivedMs }) => ({
          slug,
          name,
          postCount: documents.lists.postCount(id),
          isArchived: archivedMs !== null,
        }))
      : null,
    rooms: hasScope(caller, 'rooms:read') ? roomsWithUnread(workspace, caller) : null,
    mentions: hasScope(caller, 'mentions:read') ? inbox.mentions.unread(caller) : null,
    noticeCount: hasScope(caller, 'mentions:read')
      ? inbox.records.countUnread(caller, otherNotices, maxNotices)
      : 0,
    asks: hasScope(caller, 'asks:read') ? asks.pages.claimable(caller, maxAsks) : null,
    cards: hasScope(caller, 'cards:read') ? inbox.homeFeed.cards(caller) : null,
  }
}

function roomsWithUnread({ rooms: { rooms } }: Pick<Workspace, 'rooms'>, caller: Caller): OrientationRoom[] {
  const { joined } = rooms.overview(caller)
  const unread = new Map(joined.map((room) => [`${room.slug}.md`, room.unread]))
  return rooms.files(caller).map((room) => ({ ...room, unread: unread.get(room.filename) ?? 0 }))
}
