import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, defaultConfig } from '../../core/config.ts'
import type { NewMember } from '../../core/members/member-store.ts'
import type { OpenWorkspace } from '../../core/workspace/index.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { startServer } from '../../server/index.ts'
import type { Log } from '../../server/log.ts'
import { type HttpResponse, type RequestOptions, request } from '../support/http-client.ts'
import { uploadForm } from '../support/upload-form.ts'
import type { CampaignRun } from './campaign.ts'

export const kinds = [
  'rooms',
  'roomNames',
  'mentions',
  'projects',
  'home',
  'posts',
  'drafts',
  'documents',
  'cards',
  'asks',
  'private',
] as const
export type Kind = (typeof kinds)[number]

export interface Person {
  id: string
  name: string
  key: string
}

export interface People {
  /** The first owner, who leads the project `vault`. */
  owner: Person
  /** Members of `vault`; drafts are Grace's alone. */
  grace: Person
  linus: Person
  scout: Person
  /** A person and an admin without a project, an agent of `elsewhere`, and a member who left. */
  nobody: Person
  elsewhere: Person
  chief: Person
  left: Person
}

export interface World {
  url: string
  workspace: OpenWorkspace
  people: People
  marks: Map<Kind, string[]>
  /** Existing values of the parameters of routes. */
  names: Map<string, string[]>
  calls: { path: string; body: string }[]
  send(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Fills the project and its rooms with secrets, again if they were removed. */
  fill(): Promise<void>
  /** Fills again and forgets former secrets, which may have been moved elsewhere. */
  renew(): Promise<void>
  close(): Promise<void>
}

const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

const tree = '/v1/fs/projects/vault'

/** Serves a workspace with a project of secrets, each marked by a unique word. @param config overrides */
export async function openSecretWorkspace(run: CampaignRun, config: Partial<Config> = {}): Promise<World> {
  const home = join(run.folder, 'home')
  mkdirSync(home)
  const created = await createWorkspace({ home, name: 'Testers', owner: 'Ada', email: 'ada@example.org' })
  const calls: World['calls'] = []
  const server = await startServer({
    home,
    config: { ...defaultConfig, ...config },
    port: 0,
    log: silentLog,
    faults: { outbound: recording(calls) },
  })
  const { workspace } = server
  const url = `http://127.0.0.1:${server.port}`
  const marks = new Map<Kind, string[]>(kinds.map((kind) => [kind, []]))
  const names = new Map<string, string[]>()
  const mark = (kind: Kind): string => {
    const word = `zq${kind.toLowerCase()}${run
      .below(36 ** 8)
      .toString(36)
      .padStart(8, '0')}`
    marks.get(kind)!.push(word)
    return word
  }
  const add = async (member: NewMember, ...projects: string[]): Promise<Person> => {
    const added = await workspace.stores.members.add(member)
    for (const slug of projects) {
      await workspace.stores.projects.join(workspace.stores.projects.find(slug)!, added.member, 'member')
    }
    return { id: added.member.id, name: member.name, key: added.key }
  }

  const owner = { id: created.member.id, name: 'Ada', key: created.key }
  for (const slug of ['vault', 'elsewhere']) {
    await workspace.projects.create(workspace.stores.members.authenticate(owner.key)!, { name: slug, slug })
  }
  const people: People = {
    owner,
    grace: await add({ name: 'Grace', type: 'human', email: `${mark('private')}@example.org` }, 'vault'),
    linus: await add({ name: 'Linus', type: 'human', email: 'linus@example.org' }, 'vault'),
    scout: await add({ name: 'Scout', type: 'agent', ownerId: owner.id }, 'vault'),
    nobody: await add({ name: 'Nobody', type: 'human' }),
    elsewhere: await add({ name: 'Elsewhere', type: 'agent' }, 'elsewhere'),
    chief: await add({ name: 'Chief', type: 'human', role: 'admin' }),
    left: await add({ name: 'Left', type: 'human' }, 'vault'),
  }
  await workspace.stores.members.setStatus(people.left.id, 'deactivated')
  const send: World['send'] = (method, path, options) => request(url, method, path, options)
  const filler = new Filler({ people, names, mark, send, workspace })
  await filler.fill()
  return {
    url,
    workspace,
    people,
    marks,
    names,
    calls,
    send,
    fill: () => filler.fill(),
    async renew() {
      for (const kind of kinds) if (kind !== 'private') marks.set(kind, [])
      await filler.fill()
    },
    close: () => server.close(),
  }
}

/** Records every delivery and answers it with a reply to post. */
function recording(calls: World['calls']): Outbound {
  return {
    checkUrl: async () => null,
    request: async ({ url, body }) => {
      const path = new URL(url).pathname
      calls.push({ path, body: Buffer.from(body ?? '').toString() })
      return {
        kind: 'response',
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ body: `reply from ${path}` })),
        isTruncated: false,
      }
    },
  }
}

interface FillerDeps extends Pick<World, 'people' | 'names' | 'send' | 'workspace'> {
  mark(kind: Kind): string
}

/** Writes the secrets. Things that everybody may know, such as members' names, contain none. */
class Filler {
  private round = 0

  constructor(private readonly deps: FillerDeps) {}

  async fill(): Promise<void> {
    this.round += 1
    await this.rejoinMembers()
    await this.rooms()
    await this.tree()
    await this.records()
    await this.privateRecords()
  }

  /** Lets members who left the project join it again. */
  private async rejoinMembers(): Promise<void> {
    const { people, workspace } = this.deps
    const vault = workspace.stores.projects.find('vault')!
    for (const role of ['grace', 'linus', 'scout'] as const) {
      const member = workspace.stores.members.find(people[role].id)!
      await workspace.stores.projects.join(vault, member, 'member')
    }
    await workspace.stores.projects.join(vault, workspace.stores.members.find(people.owner.id)!, 'lead')
    this.name('project', 'vault', vault.id)
    this.name('slug', 'vault')
    this.name('memberId', ...Object.values(people).map(({ id }) => id))
    this.name('column', '01-triage', '02-todo', 'todo', 'done')
  }

  private async rooms(): Promise<void> {
    const { mark, people } = this.deps
    const { owner, grace, linus, scout } = people
    for (const room of [
      { type: 'closed', name: mark('roomNames'), members: [grace.id, scout.id] },
      { type: 'direct', name: mark('roomNames'), members: [grace.id] },
      { type: 'open', name: mark('roomNames'), projectId: 'vault', members: [grace.id, linus.id, scout.id] },
    ]) {
      const { _id } = await this.succeed(owner, 'POST', '/api/rooms', { description: mark('rooms'), ...room })
      const say = (body: string, more: object = {}) =>
        this.succeed(owner, 'POST', `/api/rooms/${_id}/messages`, { body, ...more })
      const { messageId } = await say(mark('rooms'))
      await say(mark('rooms'), { threadId: messageId })
      const mentioned = await say(`@[Grace](${grace.id}) @[Scout](${scout.id}) ${mark('mentions')}`)
      this.name('roomId', _id)
      this.name('room', `${_id}.md`, `${room.name}.md`)
      this.name('messageId', messageId, mentioned.messageId)
    }
  }

  private async tree(): Promise<void> {
    const { mark, people, send } = this.deps
    const { owner, grace } = people
    const put = async (person: Person, folder: string, kind: Kind, fields = '') => {
      const text = `${fields}# ${mark(kind)}\n\n${mark(kind)} in [[c:1]], see #tag.\n\n- ${mark(kind)}\n`
      return this.succeed(person, 'PUT', `${tree}/${folder}/new-${this.round}.md`, text)
    }
    const post = await put(owner, 'posts', 'posts')
    const document = await put(grace, 'docs/deep', 'documents')
    const card = await put(owner, 'board/02-todo', 'cards')
    const drafts = [await put(grace, 'drafts', 'drafts'), await put(grace, 'drafts', 'drafts', later)]
    await this.succeed(
      owner,
      'PUT',
      `${tree}/posts/told.md`,
      `# ${mark('mentions')}\n\n@[Grace](${grace.id})\n`,
    )
    for (const [field, { id, filename }] of [
      ['posts', post],
      ['docs', document],
      ['library/documents', document],
      ['board', card],
      ...drafts.map((draft) => ['drafts', draft] as const),
    ] as const) {
      this.name(`${field}/:name`, filename, filename.replace(/\.md$/, ''), id)
    }
    this.name('postId', post.id, drafts[0].id)
    this.name('docId', document.id, card.id, post.id, drafts[0].id)
    this.name('number', card.filename.slice(0, 4))

    // A former name, and a document in the trash.
    const moved = `# ${mark('documents')}\n`
    await this.succeed(grace, 'PUT', `${tree}/docs/deep/${document.filename.split('/').at(-1)}`, moved)
    const gone = await put(owner, 'docs', 'documents')
    await this.succeed(owner, 'DELETE', gone.path.replace('/library/documents', '/docs'))
    this.name('trash/:id', gone.id)

    const attached = await send('POST', `${post.path}/attachments`, {
      key: owner.key,
      ...(await uploadForm(['file', mark('posts'), `${mark('posts')}.txt`, 'text/plain'])),
    })
    this.name('attachments/:id', attached.json.id)
    const drafted = await send('POST', `${drafts[0].path}/attachments`, {
      key: grace.key,
      ...(await uploadForm(['file', mark('drafts'), `${mark('drafts')}.txt`, 'text/plain'])),
    })
    this.name('attachments/:id', drafted.json.id)
    const file = `${mark('documents')}.txt`
    await send('POST', `${tree}/library/files`, {
      key: owner.key,
      ...(await uploadForm(['file', mark('documents'), file, 'text/plain'])),
    })
    this.name('files/:name', file)
  }

  private async records(): Promise<void> {
    const { mark, people, send } = this.deps
    const { owner, grace } = people
    const [postId] = this.deps.names.get('postId')!.slice(-2)
    const { comment } = await this.succeed(grace, 'POST', `/v1/posts/${postId}/comments`, {
      body: mark('posts'),
    })
    this.name('commentId', comment._id)
    for (const ask of [
      { title: mark('asks'), body: mark('asks') },
      { title: mark('asks'), kind: 'question', options: [mark('asks'), 'no'] },
    ]) {
      const { askId } = await this.succeed(owner, 'POST', '/api/asks', { project: 'vault', ...ask })
      this.name('askId', askId)
    }
    await this.succeed(owner, 'PUT', `${tree}/plan.md`, `## the goal\n\n${mark('documents')}\n`)
    await this.succeed(
      owner,
      'PUT',
      `${tree}/links.md`,
      `- [${mark('projects')}](https://example.org/): ${mark('projects')}\n`,
    )
    await this.skill('skill-one')
    await send('PUT', '/dav/projects/vault/README.md', {
      key: owner.key,
      body: `# vault\n\n${mark('home')}\n`,
    })
  }

  /** Saves and publishes a skill from any state. */
  private async skill(name: string): Promise<void> {
    const { mark, people, send } = this.deps
    const { owner } = people
    const { json } = await send('GET', `/v1/skills/vault/${name}`, { key: owner.key })
    const { version = 0, draftRevision = 0 } = json?.skill ?? {}
    const address = { project: 'vault', name, expectedVersion: version }
    const text = `---\nname: ${name}\ndescription: ${mark('projects')}\n---\n${mark('projects')}\n`
    const saved = await this.succeed(owner, 'POST', '/v1/skills', {
      ...address,
      expectedDraftRevision: draftRevision,
      files: { 'SKILL.md': text },
    })
    await this.succeed(owner, 'POST', '/v1/skills/publish', {
      ...address,
      expectedDraftRevision: saved.skill.draftRevision,
    })
    this.name('skills/:name', name)
  }

  /** Creates what only a member and those who manage them may see. */
  private async privateRecords(): Promise<void> {
    const { mark, people } = this.deps
    const { owner, grace, scout } = people
    const key = await this.succeed(owner, 'POST', `/api/members/${grace.id}/keys`, { label: mark('private') })
    this.name('keyId', key.id)
    await this.succeed(owner, 'PUT', `/api/members/${scout.id}/webhook`, {
      url: `https://agents.example/${mark('private')}`,
    })
    const [room] = this.deps.names.get('roomId')!.slice(-3)
    await this.succeed(owner, 'POST', `/api/rooms/${room}/messages`, {
      body: `@[Scout](${scout.id}) ${mark('mentions')}`,
    })
    const { deliveries } = await this.succeed(owner, 'GET', `/api/members/${scout.id}/webhook/deliveries`)
    for (const { id } of deliveries) this.name('deliveryId', id)
    const { id } = await this.succeed(owner, 'POST', '/api/invites', {})
    this.name('invites/:id', id)
  }

  /** Records values that a request may name, the latest twelve of each parameter. */
  private name(parameter: string, ...values: string[]): void {
    const known = this.deps.names.get(parameter) ?? []
    this.deps.names.set(parameter, [...new Set([...known, ...values])].slice(-12))
  }

  /** @throws Error if the request does not succeed */
  private async succeed(
    { key }: Person,
    method: string,
    path: string,
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response
  ): Promise<any> {
    const { status, json, text } = await this.deps.send(method, path, { key, body })
    if (status >= 300) throw new Error(`The world could not be filled: ${method} ${path}: ${status} ${text}`)
    return json
  }
}

/** The frontmatter of a draft scheduled for a time that no run reaches. */
const later = '---\nscheduledFor: 2100-01-01T00:00:00Z\n---\n'
