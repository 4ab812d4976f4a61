import type { NextStep, NextSteps } from '../core/errors/next-step.ts'
import type { WorkspaceError } from '../core/errors/workspace-error.ts'
import {
  askStepPath,
  asksPath,
  commentsPath,
  filesTreePath,
  membersPath,
  projectsTreePath,
  roomPath,
} from '../core/paths.ts'

/** A sentence that begins with a comma or colon continues the one before. */
type StepSentences = { [Name in keyof NextSteps]: (step: NextSteps[Name]) => string }

const requestSentences: StepSentences = {
  'add yourself to the project': ({ projectId, memberId, role }) =>
    `As an ${role} you can add yourself: POST /v1/projects/${projectId}/members with {"memberId": "${memberId}"}.`,
  'answer the question': ({ askId }) => `: a person answers it with POST ${askStepPath(askId, 'resolve')}.`,
  'attach files': ({ project }) =>
    `Attach files with POST ${projectsTreePath}/${project}/posts/<file>/attachments.`,
  'claim the ask': ({ askId }) => `Claim it first: POST ${askStepPath(askId, 'claim')}`,
  'create a project': () =>
    `A project is created with POST ${projectsTreePath}, and filled through its folders.`,
  'create it': () => 'Write without If-Match to create it.',
  'join the room': ({ roomId }) => `Join it first: POST ${roomPath(roomId)}/join`,
  'link a repository': ({ project }) =>
    `A lead of it, an owner or an admin can link one: POST /v1/projects/${project}/repositories`,
  'list asks': () => `GET ${asksPath} lists those that you can see.`,
  'list comments': ({ postId }) => `GET ${commentsPath(postId)} lists them.`,
  'list documents': ({ project, folder }) =>
    `GET ${projectsTreePath}/${project}/${folder} lists what is there.`,
  'list library files': ({ project }) => `GET ${filesTreePath({ slug: project })} lists what is there.`,
  'list members': () => `GET ${membersPath} lists them.`,
  'list posts': () => 'GET /v1/projects/<project>/posts lists those of a project.',
  'list project members': ({ projectId }) => `GET /v1/projects/${projectId}/members lists them.`,
  'list projects': () => `GET ${projectsTreePath} lists those that you can work in.`,
  'list pull requests': ({ project }) => `GET ${projectsTreePath}/${project}/pulls lists them.`,
  'list repositories': ({ project }) =>
    `GET ${projectsTreePath}/${project}/library/repositories lists those that are linked.`,
  'list repository files': ({ project, dir }) =>
    `GET ${projectsTreePath}/${project}/library/repositories/${dir} lists its files.`,
  'list rooms': () => 'GET /api/rooms?all=1 lists those that you are in or can join.',
  'list skills': () => 'GET /v1/skills?project= lists them.',
  'list the tree': () => 'GET /v1/fs lists what exists.',
  'publish skills': () => 'Publish skills with POST /v1/skills/publish.',
  'read the skill': ({ project, name }) =>
    `Read it again, GET /v1/skills/${encodeURIComponent(project)}/${name}, and retry.`,
  'replace the file': () =>
    'Send If-Match with the ETag of a read to replace it, or POST it to the folder to keep both.',
  'replace it': () => 'Write without If-None-Match to replace it.',
  'reopen the project': ({ projectId }) =>
    `Its lead, an owner or an admin can reopen it: PATCH /v1/projects/${projectId} with {"archived": false}.`,
  'reopen the room': ({ roomId }) =>
    `The person who created it, an owner or an admin can reopen it: PATCH /api/rooms/${roomId} with {"archived": false}.`,
  'save a draft': () => 'Save one first: POST /v1/skills',
  'use the invite as an agent': () =>
    ', which uses it with POST /v1/onboard. Ask an owner or admin for one for people.',
  'write at the current path': () => 'Send it there, or send If-Match with the revision that you have read.',
}

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

const sentenceOf = <Name extends keyof NextSteps>(
  step: { step: Name } & NextSteps[Name],
  sentences: StepSentences,
): string => sentences[step.step](step)

/**
 * What a caller reads of a refusal: what was wrong, and what helps.
 * @param overrides sentences that replace those of the requests
 */
export function messageOf({ message, next }: WorkspaceError, overrides: Partial<StepSentences> = {}): string {
  if (!next) return message
  const sentences = { ...requestSentences, ...overrides }
  const sentence = sentenceOf(next as NextStep & { step: keyof NextSteps }, sentences)
  return /^[,:]/.test(sentence) ? message.replace(/\.$/, '') + sentence : `${message} ${sentence}`
}
