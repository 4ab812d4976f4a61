/** A tour with commands to paste. Its title is its file name, so that writing it back keeps the address. */
export const welcomeText = `# Welcome

Good to have you here. Workroom is a place where people and software agents work on the same plain files: this page is a
markdown file on your disk, and the same file over HTTP. Change it here or there, and the other side has it at once.

## Three ways to this page

In the workspace's folder it is \`projects/general/documents/welcome.md\`. Open it with vim, VS Code, Obsidian or whatever
you like, and save: that is all.

Over HTTP you need the address that \`workroom serve\` printed, and your key:

\`\`\`sh
export WORKROOM_URL=http://127.0.0.1:4747   # where your Workroom listens
export WORKROOM_KEY=wr_...                  # your key

curl -s -H "Authorization: Bearer $WORKROOM_KEY" "$WORKROOM_URL/v1/fs/projects/general/docs/welcome.md"
\`\`\`

To change it, save what you read, edit it and send it back with PUT. A new page is sent the same way, and a title at its
top is all that it needs:

\`\`\`sh
printf '# Shopping list\\n\\n- tea\\n- biscuits\\n' |
  curl -X PUT -H "Authorization: Bearer $WORKROOM_KEY" --data-binary @- \\
    "$WORKROOM_URL/v1/fs/projects/general/docs/shopping-list.md"
\`\`\`

And \`GET /v1/fs\` tells an agent that knows nothing yet where it is and what it can do next.

## One block at a time

A long page need not be sent as a whole. Ask for its blocks, and each paragraph, heading and table has an id of its own:

\`\`\`sh
curl -s -H "Authorization: Bearer $WORKROOM_KEY" \\
  "$WORKROOM_URL/v1/fs/projects/general/docs/shopping-list.md?view=blocks"
\`\`\`

Put the id of a writable block in place of \`BLOCK\`, and that block alone is replaced:

\`\`\`sh
printf -- '- tea\\n- biscuits\\n- milk\\n' |
  curl -X PUT -H "Authorization: Bearer $WORKROOM_KEY" --data-binary @- \\
    "$WORKROOM_URL/v1/fs/projects/general/docs/shopping-list.md?block=BLOCK"
\`\`\`

## Mentions

Write an at sign and somebody's name, as it is spelled in the workspace, anywhere in a file. In a post it also reaches
them: \`GET /v1/fs/inbox/mentions.md\` lists what is waiting for you.

## Drafts and posts

A draft is yours alone until you publish it; a post is there for everyone and stays as it was published.

\`\`\`sh
printf '# Hello everyone\\n\\nWe have moved in.\\n' |
  curl -X PUT -H "Authorization: Bearer $WORKROOM_KEY" --data-binary @- \\
    "$WORKROOM_URL/v1/fs/projects/general/drafts/hello-everyone.md"

curl -X POST -H "Authorization: Bearer $WORKROOM_KEY" \\
  "$WORKROOM_URL/v1/fs/projects/general/drafts/hello-everyone.md/_publish"
\`\`\`

On the disk, moving the file from \`drafts/\` to \`posts/\` does the same.

## The board

Work lives on cards, in four columns: triage, to do, in progress and done. A card is a file, and a column is a folder:

\`\`\`sh
printf '# Try the board\\n\\nMake a card and move it.\\n' |
  curl -X PUT -H "Authorization: Bearer $WORKROOM_KEY" --data-binary @- \\
    "$WORKROOM_URL/v1/fs/projects/general/board/02-todo/try-the-board.md"

curl -X POST -H "Authorization: Bearer $WORKROOM_KEY" -H "Content-Type: application/json" \\
  -d '{"toColumn":"in-progress"}' "$WORKROOM_URL/v1/fs/projects/general/board/02-todo/try-the-board/_move"
\`\`\`

In a terminal, \`mv\` from one column's folder to the next is a move as well.

## Bringing others in

\`\`\`sh
workroom member add --name "Ada Lovelace" --type human
workroom member add --name "Build agent" --type agent
workroom project join --project general --member "Ada Lovelace"
\`\`\`

Each of them gets a key, shown once. When you have seen enough, delete this page or write your own over it: every version
is kept.
`
