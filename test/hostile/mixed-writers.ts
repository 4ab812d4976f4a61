import { join } from 'node:path'
import { readmeText } from '../../core/projects/project-folders.ts'
import type { Ledger } from '../server/durability/ledger.ts'
import type { Write } from '../server/durability/writers.ts'
import { general } from '../server/durability/writes.ts'
import { saveByRename, saveInPlace } from '../support/editors.ts'
import type { HttpResponse } from '../support/http-client.ts'
import type { AcknowledgedFacts } from './acknowledged-facts.ts'

type Request = Parameters<Write>[0]

export interface MixedWriters {
  everybody: Write[]
  /** Lets the writers that write once a round write again. */
  nextRound(): void
}

/** An unexpected status. */
export class WrongAnswer extends Error {
  readonly status: number
  constructor({ status, text }: HttpResponse) {
    super(`A writer was answered ${status}: ${text}`)
    this.name = 'WrongAnswer'
    this.status = status
  }
}

export interface MixedWriterOptions {
  home: string
  roomId: string
  pick: <T>(choices: readonly T[]) => T
  /** Whether a person saves files that are being written; nobody makes that durable. */
  withPerson: boolean
}

/** The writers of everything but documents, which the ledger counts, and a person who saves files. */
export function openMixedWriters(
  { home, roomId, pick, withPerson }: MixedWriterOptions,
  ledger: Ledger,
  facts: AcknowledgedFacts,
): MixedWriters {
  let count = 0
  let round = 0
  const next = () => ++count

  const succeed = async (request: Request, method: string, path: string, body?: unknown) => {
    const response = await request(method, path, body)
    if (response.status !== 201 && response.status !== 200) throw new WrongAnswer(response)
    return response.json
  }

  const messages: Write = async (request) => {
    const body = `Message ${next()}`
    const { messageId } = await succeed(request, 'POST', `/api/rooms/${roomId}/messages`, { body })
    facts.row('messages', { id: messageId, body })
  }

  let postId: string | null = null
  const comments: Write = async (request) => {
    if (postId === null) {
      const number = next()
      const post = `# Post ${number}\n\nTo be commented on.\n`
      ledger.send(post)
      postId = (await succeed(request, 'PUT', `${general}/posts/post-${number}.md`, post)).id as string
    }
    const body = `Comment ${next()}`
    const { comment } = await succeed(request, 'POST', `/v1/posts/${postId}/comments`, { body })
    facts.row('comments', { id: comment._id, body })
  }

  const attachments: Write = async (request) => {
    if (postId === null) return pause(20)
    const [name, text] = [`attached-${next()}.txt`, `Attached ${count}\n`]
    ledger.send(text)
    await succeed(request, 'POST', `${general}/posts/${postId}/attachments?name=${name}`, text)
    facts.file(`projects/general/attachments/${postId}/${name}`, text)
  }

  const asks: Write = async (request) => {
    const title = `Ask ${next()}`
    const { askId } = await succeed(request, 'POST', '/api/asks', { project: 'general', title })
    facts.row('asks', { id: askId, title })
    await succeed(request, 'POST', `/api/asks/${askId}/claim`)
    await succeed(request, 'POST', `/api/asks/${askId}/resolve`, { resolution: 'Done.' })
    facts.row('asks', { id: askId, state: 'resolved' })
  }

  const uploads: Write = async (request) => {
    const [name, text] = [
      `in-${next() % 7}/upload-${count}.txt`,
      `Upload ${count}\n`.repeat(1 + (count % 400)),
    ]
    ledger.send(text)
    const row = await succeed(request, 'POST', `${general}/library/files?name=${name}`, text)
    facts.file(`projects/general/files/${row.name}`, text)
  }

  const drafts: Write = async (request) => {
    const text = `# Draft ${next()}\n\nMine alone.\n`
    const revision = ledger.send(text)
    const { id } = await succeed(request, 'PUT', `${general}/drafts/draft-${count}.md`, text)
    ledger.written(id, revision)
  }

  const projects = once(async (request) => {
    const name = `Made ${next()}`
    ledger.send(readmeText(name))
    const { slug } = await succeed(request, 'POST', '/v1/fs/projects', { name })
    facts.readable(`/v1/fs/projects/${slug}`, `# ${name}`)
    const text = `# First\n\nIn ${name}.\n`
    const revision = ledger.send(text)
    const { id } = await succeed(request, 'PUT', `/v1/fs/projects/${slug}/docs/first.md`, text)
    facts.row('revisions', { document_id: id, revision })
    facts.readable(`/v1/fs/projects/${slug}/docs/first.md`, `In ${name}.`)
    await messages(request)
  })

  const skills = once(async (request) => {
    const number = next()
    const name = `skill-${number}`
    const sheet = `---\nname: ${name}\ndescription: Number ${number}.\n---\n\nDo it.\n`
    ledger.send(sheet)
    ledger.send(`${name}\n`)
    const files = { 'SKILL.md': sheet, 'more/notes.txt': `${name}\n` }
    const draft = { project: 'general', name, expectedVersion: 0, expectedDraftRevision: 0, files }
    await succeed(request, 'POST', '/v1/skills', draft)
    const expected = { project: 'general', name, expectedVersion: 0, expectedDraftRevision: 1 }
    await succeed(request, 'POST', '/v1/skills/publish', expected)
    facts.file(`projects/general/skills/${name}/SKILL.md`, sheet)
    facts.file(`projects/general/skills/${name}/more/notes.txt`, `${name}\n`)
    facts.readable(`${general}/skills/${name}/SKILL.md`, `Number ${number}.`)
  })

  /** Writes a document several times while a person saves it once. */
  const contested = once(async (request) => {
    const number = next()
    const title = `Contested ${number}`
    const path = `documents/contested-${number}.md`
    const write = async (what: string) => {
      const text = `# ${title}\n\n${what}\n`
      ledger.send(text)
      const { id } = await succeed(request, 'PUT', `${general}/docs/contested-${number}.md`, text)
      facts.fileOrRevision(id, `projects/general/${path}`, text, 'What was answered')
      return id as string
    }
    const id = await write('First.')
    const text = `# ${title}\n\nBy hand.\n`
    ledger.send(text)
    const save = pick([saveByRename, saveInPlace])
    const waitMs = pick([0, 1, 2, 4, 8, 16])
    const saving = pause(waitMs).then(() => {
      save(join(home, 'projects/general', path), text)
      facts.fileOrRevision(id, `projects/general/${path}`, text, `What was saved by ${save.name}`)
    })
    try {
      await write('Second.')
      await write('Third.')
    } finally {
      await saving
    }
  })

  /** A writer that writes once in each round. */
  function once(write: Write): Write {
    let last = -1
    return async (request) => {
      if (last === round) return pause(20)
      last = round
      await write(request)
    }
  }

  const everybody = [messages, comments, attachments, asks, uploads, drafts, projects, skills]
  return {
    everybody: withPerson ? [...everybody, contested] : everybody,
    nextRound: () => void round++,
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
