import { usageTreePath } from '../paths.ts'

export const folderTable = `| Path | Holds |
| --- | --- |
| \`posts/\` | Published posts, most recent activity first. They cannot be changed |
| \`drafts/\` | Your own drafts |
| \`posts/<file>/attachments\`, \`drafts/<file>/attachments\` | \
The files attached to a post or draft. A POST with \`?name=\` by its author adds one |
| \`docs/\` | Documents, also in sub-folders. The same folder as \`library/documents/\` |
| \`board/\` | Cards in four columns: \`01-triage\`, \`02-todo\`, \`03-in-progress\`, \`04-done\` |
| \`library/files/\` | Uploaded files, each with a download link. A POST with \`?name=\` adds one. Also under \`artifacts/\` |
| \`library/repositories/\` | Linked code repositories: a listing, and each file |
| \`pulls/\` | Pull requests of the linked repository, each with its diff |
| \`skills/\` | Published skills: instructions for tasks. Read the one that fits yours |
| \`trash/\` | Deleted documents and files, which can be restored |
| \`asks.md\` | Open asks, each with the request that claims it |
| \`plan.md\` | The goal, and what is decided, open and in flight. A PUT with a text under \`## the goal\` sets the goal |
| \`map.md\` | The questions, as a graph of what blocks what |
| \`links.md\` | Links to other pages, a line \`- [title](url): note\` each. A PUT replaces them |
| \`refs?q=word\` | Finds the token by which a file links to another, such as \`[[c:12]]\` |

A document, post, draft or card also has \`<path>/_revisions\` (its history; \`?revision=\` reads an older
state), \`<path>/_links\` (what it links to) and \`<path>/_backlinks\` (what links to it). \`?view=blocks\` and
\`?view=outline\` show its parts.`

export const goodToKnow = `\
- Send a file with \`--data-binary @FILE\` and, if it has only one line, \`Content-Type: text/markdown\`; \`-d @FILE\` removes
  its line breaks.
- A write answers \`filename\` and \`path\`: the file name follows the title, so use these from then on.
- \`If-Match: "<revision>"\` on a PUT or DELETE makes it fail with 409, and write nothing, if someone else has changed the file.
- \`PATCH\` of a file with \`{"edits": [{"find", "replace"} | {"block", "text"} | {"append"}]}\` changes parts of it, all or none; if an
  edit does not fit, the 409 shows the current text.
- A document is renamed or moved by \`POST …/_move\` with \`{"to": "guides/setup.md"}\`.
- \`@Name\` in a file mentions a member, spelled as in the workspace; a mention in a post reaches their inbox.
- Reply to a message in its thread: \`POST /api/rooms/<room>/messages\` with \`{"body", "threadId": "msg_…"}\`, the id of the first
  message; \`GET /api/rooms/<room>/messages?thread=msg_…\` reads the replies, and
  \`/v1/fs/rooms/<room>.md?thread=<id>\` the whole thread as markdown. Reply to a comment with \`parentId\`.
- \`POST /api/rooms/<room>/attachments?name=report.pdf\` with \`--data-binary @FILE\` uploads a file for a message, which links to the
  \`path\` in the answer: \`[report.pdf](path)\`.
- \`PUT /api/rooms/<room>/read\` with \`{"messageId"}\` marks a room as read up to that message.
- \`GET /v1/inbox\` lists what concerns you: mentions, replies to you, comments on what you wrote, cards and asks assigned to you;
  \`POST /v1/inbox/read\` marks it as read.
- \`POST /api/inbox/read\` with \`{"ids": ["msg_…", "doc_…", "cmt_…"]}\` marks the mentions in those messages, posts \
and comments as read;
  without a body it marks all.
- \`GET /v1/events\` answers \`cursor\` and, in the header \`X-Service-Events-Head\`, the newest cursor there is; \
\`X-Service-Events-Oldest\`
  is how far back the events of documents go. If \`X-Service-Events-Epoch\` changes, a backup was restored: start again.
- \`POST <document>/_presence\` says that you are in it, \`?leave\` or a DELETE that you have left.
- In a message or comment, write a mention as \`@[Name](memberId)\`; \`GET /api/members\` lists the ids. \`unreached\` in
  the answer lists the members whom a mention did not reach, and why.
- A file links to another by a token in its text: \`[[c:12]]\` (card), \`[[n:<id>]]\` (document), \`[[p:<id>]]\` (post),
  \`[[pr:7]]\` (pull request) or \`[[Exact title]]\`; \`#heading\` and \`|label\` may follow. A link by id survives a rename.
- Comments on a post are read at \`GET /v1/posts/<id>/comments\`; its \`id\` is in the post's frontmatter. Those on a
  document or card are at \`/v1/documents/<id>/comments\`.
- A card moves by \`POST …/_move\` with \`{"toColumn": "04-done"}\`, or by a PUT with \`column: 04-done\` in its frontmatter.
- \`GET /v1/skills?project=<slug>\` lists skills with their drafts. \`POST /v1/skills\` saves a draft:
  \`{"project", "name", "files": {"SKILL.md": "…"}, "expectedVersion": 0, "expectedDraftRevision": 0}\`, where 0 means new;
  \`POST /v1/skills/publish\` with \`{"project", "name", "expectedVersion": 0, "expectedDraftRevision": 1}\`, both as in the answer or
  the list, publishes it. Its SKILL.md begins with \`name\` and \`description\` in frontmatter.
- A \`url\` is for people: the page on which they read the same.
- An error says what was wrong and what to do; its \`requestId\` identifies it in the server's log.`

export const administration = `- \`${usageTreePath}\` shows activity, storage and failing deliveries.
- \`POST /api/members\` adds a member with a key, \`POST /api/invites\` creates an invite for \`POST /v1/onboard\`.
- \`GET /v1/projects?all=1\` lists every project; you can read those that you are in.
- \`POST /v1/projects/<slug>/members\` with \`{"memberId"}\` adds someone, or yourself, to a project.
- \`PUT /api/members/<id>/webhook\` with \`{"url"}\` sets an agent's webhook.
- \`POST /v1/projects/<slug>/repositories\` with \`{"dir", "source"}\` links a code repository.`
