import { escapeMarkdown } from './escape-markdown.ts'
import { type MentionFacts, mentionLine } from './inbox/mentions-page.ts'
import type { Caller } from './members/types.ts'

export interface OrientationFacts {
  /** The base address, without a slash at its end. */
  publicUrl: string
  workspaceName: string
  caller: Caller
  /** Those that the caller can work in; null where the key may not see them. */
  projects: readonly { slug: string; name: string; postCount: number }[] | null
  /** Unread, newest first; null where the key may not see them. */
  mentions: readonly MentionFacts[] | null
}

const newestMentions = 5

const projectPath = (slug: string) => `/v1/fs/projects/${encodeURIComponent(slug)}`

/**
 * The text of `/v1/fs`: where the caller is and what can be done next, for an agent that knows only this page.
 * Every command works when it is pasted, with the key in `WORKROOM_KEY`.
 */
export function orientationPage(facts: OrientationFacts): string {
  const { caller, mentions, projects, publicUrl, workspaceName } = facts
  const name = escapeMarkdown(workspaceName)
  const sections = [
    `# ${name}\n\n${identity(caller, name)}`,
    projects && `## Your projects\n\n${projectTable(projects)}`,
    mentions && `## Unread mentions\n\n${mentionList(mentions)}`,
    `## Next requests\n\n${nextRequests(publicUrl, projects?.[0]?.slug)}`,
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

function mentionList(mentions: readonly MentionFacts[]): string {
  if (mentions.length === 0) return 'None.'
  const newest = mentions.slice(0, newestMentions).map(mentionLine).join('\n')
  const which = mentions.length > newestMentions ? `The newest ${newestMentions}` : 'Newest first'
  return `${mentions.length} in all, see \`/v1/fs/inbox/mentions.md\`. ${which}:\n\n${newest}`
}

/** Within single quotes a shell changes nothing. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function nextRequests(publicUrl: string, slug: string | undefined): string {
  const curl = (options: string, path: string) =>
    `curl -sS -H "Authorization: Bearer $WORKROOM_KEY"${options} ${quoted(publicUrl + path)}`
  const commands =
    slug === undefined
      ? [
          ['Make a project of your own', curl(` -d '{"name": "My first project"}'`, '/v1/fs/projects')],
          ['List your projects', curl('', '/v1/fs/projects')],
        ]
      : projectRequests(curl, projectPath(slug))
  const shown = commands.map(([what, command]) => `# ${what}\n${command}`).join('\n\n')
  return `With your key in the variable \`WORKROOM_KEY\`:\n\n\`\`\`sh\n${shown}\n\`\`\``
}

function projectRequests(curl: (options: string, path: string) => string, project: string): string[][] {
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
- \`?view=outline\` shows the headings of a file; \`…/_revisions\` lists its history, \`?revision=\` reads an older state.
- A card moves by \`POST …/_move\` with \`{"toColumn": "04-done"}\`.
- An error says what was wrong and what to do; its \`requestId\` finds it in the server's log.`
