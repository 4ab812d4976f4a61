import { request } from '../support/http-client.ts'
import { signInForEditing } from '../support/live-editor.ts'
import { type BenchWorkspace, docs } from './bench-workspace.ts'
import type { Served } from './processes.ts'
import { prose } from './prose.ts'
import type { Typing } from './typing.ts'

/** Where editors connect, and as which member. */
export type Target = { port: number; signin: Typing['signin'] }

export async function signedIn(bench: BenchWorkspace, { port }: Served): Promise<Target & { url: string }> {
  const url = `http://127.0.0.1:${port}`
  const site = {
    url,
    request: (method: string, path: string, options = {}) => request(url, method, path, options),
  }
  return { url, port, signin: { ...(await signInForEditing(site, bench.key)), origin: url } }
}

/** @returns the addresses of the live texts of new documents */
export async function documentsFor(
  bench: BenchWorkspace,
  { port }: Served,
  documents: number,
  bytes = 4000,
): Promise<string[]> {
  const paths: string[] = []
  for (let number = 0; number < documents; number++) {
    const { json } = await bench.request(port, 'PUT', `${docs}/new.md`, {
      body: prose(`Together ${number}`, bytes),
    })
    paths.push(`/live/documents/${json.id}`)
  }
  return paths
}

export async function metric(bench: BenchWorkspace, { port }: Served, name: string): Promise<number> {
  const { text } = await bench.request(port, 'GET', '/metrics')
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)![1])
}
