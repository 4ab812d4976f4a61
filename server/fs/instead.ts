const project = '/v1/fs/projects/[^/]+'

/** What somebody can do who would change what cannot be changed there. */
const hints: readonly { at: RegExp; method?: string; hint: string }[] = [
  {
    at: within(`${project}/(?:docs|library/documents|posts|drafts|board/[^/]+)/?`),
    method: 'PUT',
    hint: 'This is a folder: PUT a file in it, with its title as the first heading. Its name follows the title.',
  },
  {
    at: within(`${project}/board/?`),
    method: 'PUT',
    hint: 'Cards are files in its columns, such as board/02-todo/new.md.',
  },
  {
    at: within(`${project}/(?:library/files|artifacts)(?:/.*)?`),
    method: 'PUT',
    hint: 'A file is uploaded with POST to the folder, with ?name=.',
  },
  { at: within(`${project}/library/repositories/.+`), hint: 'A repository is changed where it comes from.' },
  { at: within(`${project}/skills(?:/.*)?`), hint: 'POST /v1/skills saves a draft of a skill.' },
  {
    at: within(`${project}/map\\.md`),
    hint: 'It is made of the cards of kind question, and of the asks with options.',
  },
  { at: within(`${project}/asks\\.md`), hint: 'POST /api/asks raises an ask; each ask names its own calls.' },
  {
    at: within(`${project}/?`),
    hint: "It is made of the file README.md in the project's folder. Documents are written under docs/.",
  },
  {
    at: within('/v1/fs/rooms/[^/]+'),
    hint: 'POST /api/rooms/<room>/messages says something in the room.',
  },
  { at: within('/v1/fs/inbox/mentions\\.md'), hint: 'POST /api/inbox/read marks mentions as read.' },
]

function within(path: string): RegExp {
  return new RegExp(`^${path}$`)
}

/** A sentence behind the refusal of a method, with a space before it; `''` where there is nothing to say. */
export function insteadOf(method: string, path: string): string {
  const found = hints.find((one) => one.at.test(path) && (one.method ?? method) === method)
  return found ? ` ${found.hint}` : ''
}
