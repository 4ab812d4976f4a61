import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createWorkspace } from '../../../core/workspace/setup.ts'
import { programModule } from '../../../data/program.ts'
import type { Endpoint } from '../../../server/endpoints.ts'
import { type HttpResponse, request } from '../../support/http-client.ts'

export interface ToFuzzServer {
  home: string
}
export interface FromFuzzServer {
  url: string
  endpoints: Endpoint[]
}

export type KeyName = 'owner' | 'person' | 'agent' | 'stranger' | 'none'

/** A workspace with something of every kind, served by a process of its own. */
export interface FuzzWorkspace {
  home: string
  url: string
  endpoints: Endpoint[]
  keys: Record<KeyName, string | undefined>
  /** The values of `{name}` in paths and bodies. */
  names: Map<string, string>
  /** The last 4,000 characters that the server printed. */
  output(): string
  hasEnded(): boolean
  call(method: string, path: string, body?: unknown, key?: KeyName): Promise<HttpResponse>
  close(): Promise<void>
}

const project = '/v1/fs/projects/general'

/** @param home the absolute path of a new folder */
export async function openFuzzWorkspace(home: string): Promise<FuzzWorkspace> {
  const { key, member } = await createWorkspace({ home, name: 'Fuzz', owner: 'Ada' })
  // Without a PATH there is no git, so that no repository is fetched.
  const child = fork(fileURLToPath(programModule('test/hostile/fuzz-server-process.ts')), {
    env: { ...process.env, PATH: '' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const output = collectOutput(child)
  const message: ToFuzzServer = { home }
  child.send(message)
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The server did not start: ${output()}`)
  })
  ended.catch(() => {})
  const [served] = (await Promise.race([once(child, 'message'), ended])) as [FromFuzzServer]
  const keys: FuzzWorkspace['keys'] = {
    owner: key,
    person: undefined,
    agent: undefined,
    stranger: undefined,
    none: undefined,
  }
  const workspace: FuzzWorkspace = {
    ...served,
    home,
    keys,
    names: new Map([['ownerId', member.id]]),
    output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    call: (method, path, body, as = 'owner') =>
      request(served.url, method, path, { key: keys[as], ...(body !== undefined && { body }) }),
    async close() {
      if (workspace.hasEnded()) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
  await fill(workspace)
  return workspace
}

function collectOutput(child: ChildProcess): () => string {
  let printed = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
    })
  }
  return () => printed
}

async function fill({ call, keys, names }: FuzzWorkspace): Promise<void> {
  const send = async (method: string, path: string, body?: unknown, as: KeyName = 'owner') => {
    const response = await call(method, path, body, as)
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.json
  }
  for (const [as, type] of [
    ['person', 'human'],
    ['agent', 'agent'],
    ['stranger', 'human'],
  ] as const) {
    const added = await send('POST', '/api/members', { name: `The ${as}`, type })
    keys[as] = added.key
    names.set(`${as}Id`, added.member._id)
    if (as !== 'stranger') await send('POST', '/v1/projects/general/members', { memberId: added.member._id })
  }
  await send('POST', '/v1/fs/projects', { name: 'Sandbox' })
  const victim = await send('POST', '/api/members', { name: 'Victim', type: 'agent' })
  names.set('victimId', victim.member._id)
  const {
    keys: [victimKey],
  } = await send('GET', `/api/members/${victim.member._id}/keys`)
  names.set('victimKeyId', victimKey.id)
  const put = async (name: string, path: string, body: string) =>
    names.set(name, (await send('PUT', `${project}/${path}`, body)).id)
  await put('docId', 'docs/plan.md', '# Plan\n\nFirst.\n\n- a\n- b\n\n| x | y |\n| - | - |\n| 1 | 2 |\n')
  await put('deepId', 'docs/guides/setup.md', '---\ntags: [a]\n---\n# Setup\n\nSee [[Plan]] and @Ada.\n')
  await put('postId', 'posts/hello.md', '# Hello\n\nDear @Victim.\n')
  await put('draftId', 'drafts/next.md', '# Next\n\nSoon.\n')
  await put('cardId', 'board/02-todo/fix.md', '---\npriority: high\n---\n# Fix\n')
  await put('goneId', 'docs/gone.md', '# Gone\n')
  await send('DELETE', `${project}/docs/gone.md`)
  const first = await send('POST', '/api/rooms/general/messages', {
    body: `Hello @[Victim](${names.get('victimId')})`,
  })
  names.set('messageId', first.messageId)
  await send('POST', '/api/rooms/general/messages', { body: 'A reply', threadId: first.messageId })
  for (let n = 0; n < 5; n++)
    await send('POST', '/v1/posts', { projectId: 'general', title: `Post ${n}`, body: 'Text.' })
  const comment = await send('POST', `/v1/posts/${names.get('postId')}/comments`, { body: 'Well said.' })
  names.set('commentId', comment.comment._id)
  for (let n = 0; n < 4; n++)
    names.set('askId', (await send('POST', '/api/asks', { project: 'general', title: `Ask ${n}` })).askId)
  const attached = await send('POST', `${project}/drafts/next.md/attachments?name=a.txt`, 'attached')
  names.set('attachmentId', attached.id)
  await send('POST', `${project}/library/files?name=folder/numbers.csv`, 'a,b\n1,2\n')
  const skill = { project: 'general', name: 'tidy', expectedVersion: 0 }
  const files = { 'SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\n\n# Tidy\n' }
  await send('POST', '/v1/skills', { ...skill, files, expectedDraftRevision: 0 })
  await send('POST', '/v1/skills/publish', { ...skill, expectedDraftRevision: 1 })
  const room = (await send('GET', '/api/rooms'))[0]
  names.set('roomId', room._id)
  // No name refers to this room, so that no request leaves or deletes it.
  const paged = await send('POST', '/api/rooms', { name: 'Paged', type: 'closed' })
  names.set('pagedId', paged._id)
  for (let n = 0; n < 12; n++)
    await send('POST', `/api/rooms/${paged._id}/messages`, { body: `Message ${n}` })
}
