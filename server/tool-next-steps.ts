import type { StepSentences } from './next-steps.ts'

export const toolSentences: Partial<StepSentences> = {
  'answer the question': ({ askId }) =>
    `: a person answers it with asks, action "resolve" and ask "${askId}".`,
  'claim the ask': ({ askId }) => `Claim it first: asks with action "claim" and ask "${askId}".`,
  'create it': () => 'Call without expectedRevision to create it.',
  'join the room': ({ roomId }) => `Join it first: say with room "${roomId}" and without text.`,
  'list asks': () => 'asks with action "list" lists those that you may see.',
  'list documents': ({ project, folder }) =>
    `list with path "projects/${project}/${folder}" says what is there.`,
  'list library files': ({ project }) =>
    `list with path "projects/${project}/library/files" says what is there.`,
  'list members': () => 'who lists them.',
  'list posts': () => 'list with path "projects/<project>/posts" lists those of a project.',
  'list projects': () => 'list with path "projects" lists those that you can work in.',
  'list pull requests': ({ project }) =>
    `list with path "projects/${project}/pulls" lists those that there are.`,
  'list repositories': ({ project }) =>
    `list with path "projects/${project}/library/repositories" lists those that are linked.`,
  'list repository files': ({ project, dir }) =>
    `list with path "projects/${project}/library/repositories/${dir}" lists its files.`,
  'list rooms': () => 'list with path "rooms" lists those that you are in or can join.',
  'list skills': () => 'list with path "projects/<project>/skills" lists those that there are.',
  'list the tree': () => 'list with path "" lists what exists.',
  'publish skills': () => 'Publish a skill with write and path "projects/<project>/skills/<name>/SKILL.md".',
  'read the skill': ({ project, name }) =>
    `Read projects/${project}/skills/${name}/SKILL.md again, and retry.`,
  'write at the current path': () => 'Send it there, or with the expectedRevision that you have read.',
}
