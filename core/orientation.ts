import { hasScope } from './access.ts'
import { escapeMarkdown } from './escape-markdown.ts'
import { type MentionFacts, mentionLine } from './inbox/mentions-page.ts'
import type { Caller } from './members/types.ts'
import type { RoomFileRow } from './rooms/types.ts'

export interface OrientationFacts {
  /** The base address, without a slash at its end. */
  publicUrl: string
  workspaceName: string
  caller: Caller
  /** Those that the caller can work in; null where the key may not see them. */
  projects: readonly { slug: string; name: string; postCount: number }[] | null
  /** Those that the caller is in or can join; null where the key may not see them. */
  rooms: readonly RoomFileRow[] | null
  /** Unread, newest first; null where the key may not see them. */
  mentions: readonly MentionFacts[] | null
}

const newestMentions = 5
const mostRooms = 20

const projectPath = (slug: string) => `/v1/fs/projects/${encodeURIComponent(slug)}`

/** A request that works when it is pasted: the options, behind a space each, and the path. */
type Curl = (options: string, path: string) => string

/**
 * The text of `/v1/fs`: where the caller is and what can be done next, for an agent that knows only this page.
 * Every command works when it is pasted, with the key in `WORKROOM_KEY`.
 */
export function orientationPage(facts: OrientationFacts): string {
  const { caller, mentions, projects, publicUrl, rooms, workspaceName } = facts
  const curl: Curl = (options, path) =>
    `curl -sS -H "Authorization: Bearer $WORKROOM_KEY"${options} ${quoted(publicUrl + path)}`
  const name = escapeMarkdown(workspaceName)
  const sections = [
    `# ${name}\n\n${identity(caller, name)}`,
    projects && `## Your projects\n\n${projectTable(projects)}`,
    mentions && `## Unread mentions\n\n${mentionList(mentions)}`,
    `## Next requests\n\nWith your key in the variable \`WORKROOM_KEY\`:\n\n${nextRequests(curl, caller, projects?.[0]?.slug)}`,
    rooms &&
      `## Your rooms\n\n${roomTable(rooms)}\n\n${roomRequests(curl, rooms, hasScope(caller, 'rooms:write'))}`,
    `## The folders of a project\n\n${folderTable}`,
    `## Good to know\n\n${goodToKnow}`,
  ]
  return `${sections.filter((section) => section !== null).join('\n\n')}\n`
}

function identity({ member }: Caller, workspaceName: string): string {
  const kind = member.type === 'agent' ? 'an agent' : 'a person'
  return (
    `You are **${escapeMarkdown(member.name)}** (\`${member.id}\`), ${kind} with the role ${member.role} in the workspace ` +
    `${workspaceName}. This is its file tree: folders answer JSON, files answer markdown. ` +
    '`GET /v1/fs/me/api-key` says what your key allows.'
  )
}

function projectTable(projects: readonly { slug: string; name: string; postCount: number }[]): string {
  if (projects.length === 0) {
    return 'You are in no project yet. Ask an owner or admin to add you to one, or make one: see below.'
  }
  const rows = projects.map(
    ({ slug, name, postCount }) =>
      `| ${escapeMarkdown(name)} | \`${slug}\` | \`${projectPath(slug)}\` | ${postCount} |`,
  )
  return ['| Project | Slug | Path | Posts |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** Those that the caller is in come first. */
function roomTable(rooms: readonly RoomFileRow[]): string {
  if (rooms.length === 0) return 'There is no room that you are in or can join.'
  const shown = rooms.toSorted((a, b) => Number(b.joined) - Number(a.joined)).slice(0, mostRooms)
  const rows = shown.map(
    ({ name, joined, path }) => `| ${escapeMarkdown(name)} | ${joined ? 'yes' : 'no'} | \`${path}\` |`,
  )
  const table = ['| Room | Joined | Transcript |', '| --- | --- | --- |', ...rows].join('\n')
  const left = rooms.length - shown.length
  return left === 0 ? table : `${table}\n\nAnd ${left} more, see \`/api/rooms?all=1\`.`
}

function roomRequests(curl: Curl, rooms: readonly RoomFileRow[], mayWrite: boolean): string {
  const room = rooms.find(({ joined }) => joined) ?? rooms[0]
  const path = room && `/api/rooms/${encodeURIComponent(room.filename.replace(/\.md$/, ''))}`
  const body = ` -X POST -H 'Content-Type: application/json' -d '{"body": "Hello."}'`
  const isReadable = room?.joined || mayWrite
  return script([
    ['List the rooms that you are in or can join', curl('', '/api/rooms?all=1')],
    ...(path && mayWrite ? [['Join one; it is safe to repeat', curl(' -X POST', `${path}/join`)]] : []),
    ...(path && isReadable
      ? [
          ['Read its newest messages, page by page', curl('', `${path}/messages?limit=20`)],
          ['Read what was said last, as markdown', curl('', room.path)],
        ]
      : []),
    ...(path && mayWrite
      ? [['Say something; a mention is written @[Name](memberId)', curl(body, `${path}/messages`)]]
      : []),
  ])
}

function mentionList(mentions: readonly MentionFacts[]): string {
  if (mentions.length === 0) return 'None.'
  const newest = mentions.slice(0, newestMentions).map(mentionLine).join('\n')
  const which = mentions.length > newestMentions ? `The newest ${newestMentions}` : 'Newest first'
  return `${mentions.length} in all, see \`/v1/fs/inbox/mentions.md\`. ${which}:\n\n${newest}`
}

/** Within single quotes a shell changes nothing. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Commands for a shell, each below what it does. */
const script = (commands: readonly string[][]): string =>
  `\`\`\`sh\n${commands.map(([what, command]) => `# ${what}\n${command}`).join('\n\n')}\n\`\`\``

function nextRequests(curl: Curl, caller: Caller, slug: string | undefined): string {
  const inProjects =
    slug === undefined
      ? [
          ['Make a project of your own', curl(` -d '{"name": "My first project"}'`, '/v1/fs/projects')],
          ['List your projects', curl('', '/v1/fs/projects')],
        ]
      : projectRequests(curl, projectPath(slug))
  return script([
    ...inProjects,
    [
      'See what happened. Send the cursor of the answer back as since, with wait=50: the request is held until there is news',
      curl('', '/v1/events?since=0&wait=0'),
    ],
    ...(hasScope(caller, 'documents:read')
      ? [['See who is in which document', curl('', '/v1/presence')]]
      : []),
  ])
}

function projectRequests(curl: Curl, project: string): string[][] {
  const put = ' -X PUT --data-binary @-'
  const notes = `${project}/docs/field-notes.md`
  return [
    ['Read what the project is about', curl('', project)],
    ['List its documents', curl('', `${project}/docs`)],
    [
      'Write a document: the title is the first heading',
      `printf '# Field notes\\n\\nFirst note.\\n' | ${curl(put, notes)}`,
    ],
    ['Read it, with its revision in the header ETag', curl(' -i', notes)],
    [
      'Change it only if nobody else has: If-Match takes the revision that you read',
      `revision=$(${curl(' -I', notes)} | tr -d '\\r' | awk 'tolower($1) == "x-service-revision:" { print $2 }')\n` +
        `printf '# Field notes\\n\\nSecond note.\\n' | ${curl(`${put} -H "If-Match: $revision"`, notes)}`,
    ],
    [
      'See its blocks, each with an id; PUT …?block=<id> then writes one block alone',
      curl('', `${project}/docs/field-notes.md?view=blocks`),
    ],
    [
      'Keep a draft, which nobody else sees',
      `printf '# Hello\\n\\nA first word.\\n' | ${curl(put, `${project}/drafts/hello.md`)}`,
    ],
    [
      'Publish it (a PUT under posts/ publishes at once)',
      curl(' -X POST', `${project}/drafts/hello.md/_publish`),
    ],
    [
      'Put a card on the board',
      `printf '# Read the field notes\\n' | ${curl(put, `${project}/board/02-todo/read-the-field-notes.md`)}`,
    ],
    ['Read your mentions', curl('', '/v1/fs/inbox/mentions.md')],
  ]
}

const folderTable = `| Path | Holds |
| --- | --- |
| \`posts/\` | What is published, most recent activity first. A published post does not change any more |
| \`drafts/\` | Your own drafts |
| \`docs/\` | Documents, also in sub-folders. The same folder as \`library/documents/\` |
| \`board/\` | Cards in four columns: \`01-triage\`, \`02-todo\`, \`03-in-progress\`, \`04-done\` |
| \`trash/\` | Deleted documents, which can be brought back |`

const goodToKnow = `- A write answers \`filename\` and \`path\`: the file name follows the title, so use them from then on.
- \`If-Match: "<revision>"\` on a PUT or DELETE makes it fail with 409, and write nothing, where somebody was faster.
- \`@Name\` in a file mentions a member, spelled as in the workspace; a mention in a post reaches their inbox.
- In a message a mention is written \`@[Name](memberId)\`; \`GET /api/members\` lists the ids.
- \`?view=outline\` shows the headings of a file; \`…/_revisions\` lists its history, \`?revision=\` reads an older state.
- A card moves by \`POST …/_move\` with \`{"toColumn": "04-done"}\`.
- An error says what was wrong and what to do; its \`requestId\` finds it in the server's log.`
