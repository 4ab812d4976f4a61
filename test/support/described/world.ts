import {
  exampleIds,
  exampleInvite,
  exampleRevision,
  exampleSource,
  examples,
} from '../../../server/openapi/examples.ts'
import type { HttpResponse } from '../http-client.ts'
import { ScriptlessBrowser } from '../scriptless-browser.ts'
import type { Workroom } from '../workroom.ts'
import type { DescribedOperation } from './operations.ts'

const tree = '/v1/fs/projects/general'
const text = '# Opening hours\n\nWe are open on Monday.\n'

type Names = Record<string, string>

/** Bodies of operations that are always refused and have no example. */
export const refusedBodies: Record<string, unknown> = {
  editTreePost: examples.editTreeDraft,
  restoreTreePost: examples.restoreTreeDraft,
}

/** Creates whatever the paths of the description name, for tests that send every described operation. */
export class DescribedWorld {
  readonly workroom: Workroom
  readonly source: string | undefined
  private count = 0
  private readonly shared = new Map<string, Promise<Names>>()
  private browser: Promise<ScriptlessBrowser> | undefined

  /** @param source the path of a code repository that can be linked */
  constructor(workroom: Workroom, source?: string) {
    this.workroom = workroom
    this.source = source
  }

  /** The path of an operation. @param isShared whether others may use what it names, as if only read */
  async target(
    operation: DescribedOperation,
    isShared = operation.method === 'GET',
  ): Promise<{ path: string; names: Names; key?: string }> {
    const kind = kindOf(operation)
    const existing = isShared ? this.shared.get(kind) : undefined
    const creating = existing ?? this.create(kind)
    if (isShared) this.shared.set(kind, creating)
    const names = await creating
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'unknown')
    return { path, names, ...(names.key !== undefined && { key: names.key }) }
  }

  private async create(kind: string): Promise<Names> {
    const names: Names = {
      project: 'general',
      dir: 'unlinked',
      number: '1',
      column: '02-todo',
      name: 'opening-hours.md',
      topic: 'requests',
    }
    const maker = makers[kind]
    return { ...names, ...(maker && (await maker(this))) }
  }

  uniqueName(word: string): string {
    return `${word} ${++this.count}`
  }

  // biome-ignore lint/suspicious/noExplicitAny: the JSON of a response
  async send(method: string, path: string, body?: unknown): Promise<any> {
    const response = await this.workroom.request(method, path, body === undefined ? {} : { body })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.json
  }

  /** Sends a request in the owner's session, as a page does. */
  async inBrowser(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    const { owner, url } = this.workroom
    this.browser ??= new ScriptlessBrowser(this.workroom).signIn(owner.key)
    const browser = await this.browser
    const headers = {
      Origin: url,
      'Sec-Fetch-Site': 'same-origin',
      'X-CSRF-Token': await browser.csrf(),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    }
    return browser.send(method, path, headers, body === undefined ? undefined : JSON.stringify(body))
  }

  async agent(): Promise<{ id: string; key: string }> {
    const { member, key } = await this.workroom.addMember(
      { name: this.uniqueName('Helper'), type: 'agent' },
      'general',
    )
    return { id: member.id, key }
  }
}

type Maker = (world: DescribedWorld) => Promise<Names>

async function room(world: DescribedWorld): Promise<Names> {
  const agent = await world.agent()
  const { _id: roomId } = await world.send('POST', '/api/rooms', {
    name: 'Hall',
    type: 'open',
    members: [agent.id],
  })
  const { messageId } = await world.send('POST', `/api/rooms/${roomId}/messages`, { body: 'Hello' })
  return { roomId, room: roomId, messageId, memberId: agent.id, emoji: '%F0%9F%91%8D' }
}

const roomAttachment: Maker = async (world) => {
  const names = await room(world)
  const { id } = await world.send('POST', `/api/rooms/${names.roomId}/attachments?name=a.txt`, 'attached')
  return { ...names, id }
}

const typing: Maker = async (world) => {
  const agent = await world.agent()
  const { _id: roomId } = await world.send('POST', '/api/rooms', {
    name: 'Hall',
    type: 'open',
    members: [agent.id],
  })
  return { roomId, key: agent.key }
}

const member: Maker = async (world) => {
  const { id } = await world.agent()
  await world.send('PUT', `/api/members/${id}/webhook`, { url: 'https://agents.example/wake' })
  const { keys } = await world.send('GET', `/api/members/${id}/keys`)
  const post = { project: 'general', title: 'Hear', body: `@[Helper](${id})` }
  await world.send('POST', '/v1/posts', post)
  const { deliveries } = await world.send('GET', `/api/members/${id}/webhook/deliveries`)
  return { id, memberId: id, keyId: keys[0].id, deliveryId: deliveries[0].id }
}

const file =
  (folder: string, markdown = text): Maker =>
  async (world) => {
    const name = world.uniqueName('Hours')
    const titled = markdown.replace('Opening hours', name)
    const { filename, id } = await world.send('PUT', `${tree}/${folder}/new.md`, titled)
    const revision = (await world.send('GET', `${tree}/${folder}/${filename}/_revisions`)).revisions[0]
      .revision
    return { name: filename, revision, postId: id, documentId: id }
  }

const attachedTo =
  (folder: 'posts' | 'drafts'): Maker =>
  async (world) => {
    const names = await file(folder)(world)
    const { id } = await world.send(
      'POST',
      `${tree}/${folder}/${names.name}/attachments?name=a.txt`,
      'attached',
    )
    return { ...names, id }
  }

const commented =
  (kind: 'posts' | 'documents'): Maker =>
  async (world) => {
    const names = await file(kind === 'posts' ? 'posts' : 'docs')(world)
    const { comment } = await world.send('POST', `/v1/${kind}/${names.postId}/comments`, {
      body: 'Well said.',
    })
    return { ...names, commentId: comment._id }
  }

const ask: Maker = async (world) => {
  const { askId } = await world.send('POST', '/api/asks', { project: 'general', title: 'Paint the door' })
  return { ...(await room(world)), askId }
}

const readme: Maker = async (world) => {
  await world.send('PUT', `${tree}/README.md`, text)
  const { revisions } = await world.send('GET', `${tree}/README.md/_revisions`)
  return { revision: revisions[0].revision }
}

const upload: Maker = async (world) => {
  const { name } = await world.send(
    'POST',
    `${tree}/library/files?name=${world.uniqueName('a').replace(' ', '-')}.txt`,
    'x',
  )
  const { headers } = await world.workroom.request('GET', `${tree}/library/files/${name}`)
  return { name, revision: String(headers['x-service-revision']) }
}

const repository: Maker = async (world) => {
  const { source } = world
  if (source === undefined) return {}
  const dir = world.uniqueName('code').replace(' ', '-')
  await world.send('POST', '/v1/projects/general/repositories', { dir, source })
  return { dir, path: 'README.md', source }
}

const skill: Maker = async (world) => {
  const name = world.uniqueName('tidy').replace(' ', '-')
  const files = { 'SKILL.md': `---\nname: ${name}\ndescription: Tidies up\n---\n\n# Tidy\n` }
  const saved = { project: 'general', name, expectedVersion: 0, expectedDraftRevision: 0 }
  await world.send('POST', '/v1/skills', { ...saved, files })
  await world.send('POST', '/v1/skills/publish', { ...saved, expectedDraftRevision: 1 })
  return { name, path: 'SKILL.md' }
}

const makers: Record<string, Maker> = {
  rooms: room,
  presence: room,
  'rooms attachments': roomAttachment,
  'fs rooms attachments': roomAttachment,
  typing,
  members: member,
  wakes: async (world) => {
    const { id: memberId, key } = await world.agent()
    const take = () => world.workroom.request('POST', '/v1/wakes/take', { key, body: { wait: 0 } })
    await take()
    await world.send('POST', '/v1/posts', {
      project: 'general',
      title: 'Hear',
      body: `@[Helper](${memberId})`,
    })
    return { id: (await take()).json.wakes[0].id, memberId, key }
  },
  'inbox devices': async (world) => {
    const subscription = examples.createInboxDevice as object
    const { json } = await world.inBrowser('POST', '/v1/inbox/devices', subscription)
    return { id: json.device.id }
  },
  'projects members': async (world) => {
    const { project } = await world.send('POST', '/v1/projects', { name: world.uniqueName('Boats') })
    const { id } = await world.agent()
    await world.send('POST', `/v1/projects/${project.slug}/members`, { memberId: id })
    return { project: project.slug, memberId: id }
  },
  projects: async (world) => {
    const projectName = world.uniqueName('Boats')
    const { project } = await world.send('POST', '/v1/projects', { name: projectName })
    return { project: project.slug, projectName }
  },
  'projects _restore': async (world) => {
    const name = world.uniqueName('Boats')
    const { project } = await world.send('POST', '/v1/projects', { name })
    await world.send('DELETE', `/v1/projects/${project.slug}?name=${encodeURIComponent(name)}`)
    return { project: project.slug }
  },
  'projects repositories': repository,
  'tree library repositories': repository,
  invites: async (world) => {
    const { id } = await world.send('POST', '/api/invites', {})
    return { id }
  },
  onboard: async (world) => {
    const { code } = await world.send('POST', '/api/invites', { uses: 5 })
    return { code }
  },
  asks: ask,
  'asks release': async (world) => {
    const names = await ask(world)
    await world.send('POST', `/api/asks/${names.askId}/claim`)
    return names
  },
  posts: commented('posts'),
  documents: commented('documents'),
  'tree posts': file('posts'),
  'tree drafts': file('drafts'),
  'tree docs': file('docs'),
  'tree library documents': file('docs'),
  'tree board': file('board/02-todo'),
  'tree posts attachments': attachedTo('posts'),
  'tree drafts attachments': attachedTo('drafts'),
  'tree README.md': readme,
  'tree library files': upload,
  'tree artifacts': upload,
  'tree skills': skill,
  skills: skill,
  'tree trash': async (world) => {
    const { name, postId } = await file('docs')(world)
    await world.send('DELETE', `${tree}/docs/${name}`)
    return { id: postId! }
  },
}

/** The key of `makers` for what an operation needs. */
function kindOf({ method, path }: DescribedOperation): string {
  const [mount, ...parts] = path
    .replace(/^\/v1\/fs\/projects\/\{project\}\//, 'tree/')
    .replace(/^\/(?:api|v1)\//, '')
    .split('/')
  const words = [mount!, ...parts].filter((part) => !part.startsWith('{'))
  if (words.includes('typing')) return 'typing'
  // A PUT creates a post; a published one cannot be replaced.
  if (method === 'PUT' && words[1] === 'posts') return ''
  if (words.includes('attachments')) return words.slice(0, 3).join(' ')
  if (words[0] === 'fs') return words[1] === 'rooms' ? 'rooms' : words[1]!
  const candidates = [words.slice(0, 3).join(' '), words.slice(0, 2).join(' '), words[0]!]
  return candidates.find((kind) => kind in makers) ?? ''
}

/** The body of an example with existing ids in place of its own. */
export function withNames(example: unknown, names: Names): unknown {
  const replacements: [string, string | undefined][] = [
    ...Object.entries(exampleIds).map(([name, id]): [string, string | undefined] => [id, names[name]]),
    [exampleRevision, names.revision],
    [exampleInvite, names.code],
    [exampleSource, names.source],
  ]
  const json = replacements.reduce(
    (text, [id, name]) => (name === undefined ? text : text.replaceAll(id, name)),
    JSON.stringify(example),
  )
  return JSON.parse(json)
}
