/** What a caller can do after a refusal. Each interface words it in its own way. */
export interface NextSteps {
  'add yourself to the project': { projectId: string; memberId: string; role: string }
  'answer the question': { askId: string }
  'attach files': { project: string }
  'claim the ask': { askId: string }
  'create a project': object
  'create it': object
  'join the room': { roomId: string }
  'link a repository': { project: string }
  'list asks': object
  'list comments': { postId: string }
  'list documents': { project: string; folder: string }
  'list library files': { project: string }
  'list members': object
  'list posts': object
  'list project members': { projectId: string }
  'list projects': object
  'list pull requests': { project: string }
  'list repositories': { project: string }
  'list repository files': { project: string; dir: string }
  'list rooms': object
  'list skills': object
  'list the tree': object
  'publish skills': object
  'read the skill': { project: string; name: string }
  'replace it': object
  'replace the file': object
  'reopen the project': { projectId: string }
  'reopen the room': { roomId: string }
  'save a draft': object
  'use the invite as an agent': object
  'write at the current path': object
}

export type NextStep = { [Name in keyof NextSteps]: { step: Name } & NextSteps[Name] }[keyof NextSteps]
