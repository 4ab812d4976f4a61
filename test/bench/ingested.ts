import { eventually } from '../support/eventually.ts'
import { type BenchWorkspace, docs } from './bench-workspace.ts'
import type { Served } from './processes.ts'

/** Longer than a large workspace needs to be ingested. */
const timeoutMs = 900_000

export async function ingested(bench: BenchWorkspace, { port }: Pick<Served, 'port'>): Promise<void> {
  await eventually(async () => {
    const { json } = await bench.request(port, 'GET', `${docs}?limit=1`)
    return json.ingesting === undefined
  }, timeoutMs)
}
