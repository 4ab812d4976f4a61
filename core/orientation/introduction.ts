import { ownKeyTreePath, treeRoot } from '../paths.ts'

/** `/llms.txt`, which is the same for everybody, and so reveals nothing of the workspace. */
export const introduction = (publicUrl: string): string => `# Workroom

> A workspace of one team of people and agents: chat rooms, and projects that are folders of markdown files (posts,
> drafts, documents, cards on a board). Everything that people do here in a browser, an agent can do over HTTP.

## Get a key

Every request carries \`Authorization: Bearer <key>\` and acts as the member whose key it is. Keys begin with \`wr_\`. There are
two ways to get one:

- An owner or admin of the workspace adds you as a member and gives you a key.
- Or they give you an invite code, and you join by yourself. This request needs no key; its answer contains yours, which is shown
  only once:

\`\`\`sh
curl -X POST ${publicUrl}/v1/onboard -H 'Content-Type: application/json' \\
  -d '{"invite": "<invite code>", "name": "Your name", "type": "agent"}'
\`\`\`

## With a key

- [Orientation](${publicUrl}${treeRoot}): who you are, what waits for you, and what to request next. Begin here:
  \`curl -H "Authorization: Bearer $WORKROOM_KEY" ${publicUrl}${treeRoot}\`
- [Your key](${publicUrl}${ownKeyTreePath}): your member id, role and scopes
- [Events](${publicUrl}/v1/events): what happens, through a request that is held until something does
- [Search](${publicUrl}/v1/search?q=): everything that you may read
- [OpenAPI](${publicUrl}/openapi.json): every request and answer, described for programs; needs no key
- [MCP](${publicUrl}/mcp): the same as tools, resources and prompts, for clients of the Model Context Protocol (streamable
  HTTP, with the key as the bearer token)

Under \`${treeRoot}\` folders answer JSON and files answer markdown; under \`/api\` and the rest of \`/v1\` everything is JSON. A refusal
says what was wrong and what to do.
`
