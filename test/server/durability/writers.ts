import { join } from 'node:path'
import { saveByRename } from '../../support/editors.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import type { Ledger } from './ledger.ts'
import { general } from './writes.ts'

type Request = (method: string, path: string, body?: unknown) => Promise<HttpResponse>

/** Makes one request, and records it and its answer in the ledger. @throws when the server is gone */
export type Write = (request: Request) => Promise<void>

function requireStatus(response: HttpResponse, ...statuses: number[]): HttpResponse {
  if (!statuses.includes(response.status))
    throw new Error(`A writer was answered ${response.status}: ${response.text}`)
  return response
}

/**
 * Returns concurrent writers, each of which goes on after a restart.
 * @param options `withPerson`: one also saves files by hand, which nobody makes durable; default true
 */
export function writers(home: string, ledger: Ledger, { withPerson = true } = {}): Write[] {
  let count = 0
  const next = () => ++count

  /** Writes a text, and records the answer. */
  const put = async (request: Request, path: string, text: string) => {
    const revision = ledger.send(text)
    const { json } = requireStatus(await request('PUT', `${general}/${path}`, text), 201)
    ledger.written(json.id, revision)
    return json as { id: string; path: string; filename: string }
  }

  const distinct = (name: string): Write => {
    let turn = 0
    return async (request) => {
      const title = `${name} ${turn++ % 12}`
      await put(request, `docs/${title.replace(' ', '-')}.md`, `# ${title}\n\nNumber ${next()}.\n`)
    }
  }

  const one: Write = async (request) =>
    void (await put(request, 'docs/one.md', `# One\n\nNumber ${next()}.\n`))

  const renamed = (): Write => {
    let id: string | null = null
    return async (request) => {
      const title = `Renamed ${next()}`
      const written = await put(request, `docs/${id ?? 'renamed.md'}`, `# ${title}\n\nStill the same.\n`)
      id = written.id
    }
  }

  const blocks = (): Write => {
    let path: string | null = null
    return async (request) => {
      path ??= (await put(request, 'docs/blocks.md', '# Blocks\n\nFirst.\n\nSecond.\n')).path
      const view = requireStatus(await request('GET', `${path}?view=blocks`), 200)
      const own: { id: string; writable: boolean; text: string }[] = view.json.blocks
      const texts = own.filter(({ writable }) => writable)
      const at = count % texts.length
      const text = `Number ${next()}.`
      const after = texts.map((block, place) => (place === at ? text : block.text)).join('\n\n')
      const revision = ledger.send(`# Blocks\n\n${after}\n`)
      const { json } = requireStatus(await request('PUT', `${path}?block=${texts[at]!.id}`, text), 201)
      ledger.written(json.id, revision)
    }
  }

  /** Requests a change that writes no bytes; without an answer it may have happened or not. */
  const ask = async (note: (how: 'answered' | 'unanswered') => void, asked: Promise<HttpResponse>) => {
    const response = await asked.catch((error) => {
      note('unanswered')
      throw error
    })
    // A server that cannot finish a committed change answers with an error, and the next start finishes it.
    if (response.status >= 500) note('unanswered')
    requireStatus(response, 200, 201)
    note('answered')
    return response.json
  }

  const moves = (): Write => {
    const columns = ['todo', 'in-progress', 'done', 'triage']
    let turn = 0
    let id: string | null = null
    return async (request) => {
      id ??= (await put(request, 'board/triage/card', `# A card ${next()}\n`)).id
      // If an answer was lost, only the server knows the card's column.
      const board = requireStatus(await request('GET', `${general}/board`), 200)
      for (const { path } of board.json.columns) {
        const { json } = requireStatus(await request('GET', path), 200)
        const card = json.cards.find((row: { id: string }) => row.id === id)
        if (!card) continue
        const toColumn = columns.find((name) => !path.endsWith(name) && (turn++ & 1) === 0) ?? 'todo'
        if (path.endsWith(toColumn)) return
        const noted = (how: 'answered' | 'unanswered') => ledger.moved(id!, how)
        await ask(noted, request('POST', `${card.path}/_move`, { toColumn }))
        return
      }
      throw new Error('The card is in no column.')
    }
  }

  const publishes: Write = async (request) => {
    const { id, path } = await put(
      request,
      `drafts/news-${next()}.md`,
      `# News ${count}\n\nHear, @[all](__everyone__).\n`,
    )
    await ask((how) => ledger.moved(id, how), request('POST', `${path}/_publish`))
  }

  const deletes: Write = async (request) => {
    const { id, path } = await put(request, `docs/short-lived-${next()}.md`, `# Short lived ${count}\n`)
    await ask((how) => ledger.deleted(id, how), request('DELETE', path))
  }

  let turn = 0
  const person: Write = async () => {
    const path = `documents/by-hand-${turn++ % 3}.md`
    const text = `# By hand\n\nNumber ${next()}.\n`
    saveByRename(join(home, 'projects/general', path), text)
    ledger.saved(path, text)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }

  return [
    distinct('left'),
    distinct('right'),
    one,
    one,
    renamed(),
    blocks(),
    moves(),
    publishes,
    deletes,
    ...(withPerson ? [person] : []),
  ]
}
