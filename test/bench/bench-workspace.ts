import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { type HttpResponse, type RequestOptions, request } from '../support/http-client.ts'
import { type Served, serve } from './processes.ts'

/** The path of the documents of the first project of a workspace. */
export const docs = '/v1/fs/projects/general/docs'

export interface BenchWorkspace {
  home: string
  key: string
  authorization: { Authorization: string }
  serve(nodeArguments?: string[]): Promise<Served>
  /** @throws unless the answer is a success */
  request(port: number, method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
}

/** Gives `work` a home, then stops its servers and removes the home. */
export async function withBenchWorkspace<T>(work: (bench: BenchWorkspace) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'workroom-bench-'))
  const home = join(folder, 'home')
  const served: Served[] = []
  try {
    const { key } = await createWorkspace({ home, name: 'Bench', owner: 'Ada' })
    return await work({
      home,
      key,
      authorization: { Authorization: `Bearer ${key}` },
      async serve(nodeArguments) {
        const server = await serve(home, nodeArguments)
        served.push(server)
        return server
      },
      async request(port, method, path, options) {
        const response = await request(`http://127.0.0.1:${port}`, method, path, { key, ...options })
        if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
        return response
      },
    })
  } finally {
    for (const server of served) await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}
