import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from '../support/http-client.ts'
import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { KeepAliveConnection } from './keep-alive-connection.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'
import { prose } from './prose.ts'

const documents = 12
const documentBytes = 100_000
const shownAgain = 100
const firstBoundMs = 100
const againBoundMs = 10

const code = "\n```ts\nconst answer: number = await ask('why', { retries: 3 }) // 42\n```\n"

/** Prose with headings, links and code. All paragraphs differ, so that none is in a cache. */
function longDocument(title: string): string {
  const paragraphs = prose(title, documentBytes)
    .split('\n\n')
    .map((paragraph, index) => (index > 1 ? `${index} of ${title}: ${paragraph}` : paragraph))
  const withParts = paragraphs.map((paragraph, index) =>
    index > 1 && index % 12 === 0 ? `## Part ${index}\n\nSee [[Long 1]].\n${code}\n${paragraph}` : paragraph,
  )
  return `${withParts.join('\n\n').slice(0, documentBytes).trimEnd()}\n`
}

/**
 * The page of a document of 100 kB, from the request to the last byte: the first time, right after its write,
 * again, and after a restart.
 */
export const pages: Bench = () =>
  withBenchWorkspace(async (bench) => {
    // As in production, the address stays the same after a restart.
    const publicUrl = 'https://work.example'
    writeFileSync(join(bench.home, 'workroom.yaml'), `publicUrl: ${publicUrl}\n`)
    const server = await bench.serve()
    let { port } = server
    const base = () => `http://127.0.0.1:${port}`
    const signedIn = await request(base(), 'POST', '/signin', {
      body: new URLSearchParams({ key: bench.key }).toString(),
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: publicUrl,
        Accept: 'text/html',
      },
    })
    const [cookie] = signedIn.headers['set-cookie']![0]!.split(';')
    const open = async (path: string): Promise<number> => {
      const startMs = performance.now()
      const response = await request(base(), 'GET', path, {
        headers: { Cookie: cookie, Accept: 'text/html' },
      })
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      const ms = performance.now() - startMs
      // A too busy server shows plain text, which is faster.
      if (!response.text.includes('<span class="hljs-')) throw new Error(`${path} was not laid out.`)
      return ms
    }
    const put = (number: number) =>
      bench.request(port, 'PUT', `${docs}/long-${number}.md`, { body: longDocument(`Long ${number}`) })
    for (let number = 0; number < documents; number++) await put(number)
    const page = (number: number) => `/projects/general/docs/long-${number}`
    // Starts the thread that lays out pages.
    await open(page(0))
    const firstMs: number[] = []
    for (let number = 1; number < documents; number++) firstMs.push(await open(page(number)))
    const atOnceMs: number[] = []
    for (let number = documents; number < 2 * documents; number++) {
      await put(number)
      atOnceMs.push(await open(page(number)))
    }
    // Node's own client would cost as much as the measured answer.
    const connection = await KeepAliveConnection.open(port)
    const get = `GET ${page(1)} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nAccept: text/html\r\n\r\n`
    const openAgain = async (): Promise<number> => {
      const startMs = performance.now()
      const status = await connection.send(get)
      if (status !== 200) throw new Error(`${page(1)}: ${status}`)
      return performance.now() - startMs
    }
    for (let count = 0; count < shownAgain; count++) await openAgain()
    const againMs: number[] = []
    for (let count = 0; count < shownAgain; count++) againMs.push(await openAgain())
    connection.close()
    await server.close()
    ;({ port } = await bench.serve())
    const restartedMs = await open(page(1))
    return [
      line(`Page of a 100 kB document, the first time (median of ${firstMs.length})`, firstMs, firstBoundMs),
      line(`The same page again (median of ${shownAgain})`, againMs, againBoundMs),
      line(`Opened right after its write (median of ${atOnceMs.length})`, atOnceMs, firstBoundMs),
      line('The first page of all after a restart', [restartedMs], firstBoundMs),
    ]
  })

function line(what: string, allMs: number[], boundMs: number): BenchRow {
  const ms = median(allMs)
  return {
    what,
    workroom: milliseconds(ms),
    against: milliseconds(boundMs),
    ratio: times(ms / boundMs),
    target: '≤ 1',
    isMet: ms <= boundMs,
  }
}
