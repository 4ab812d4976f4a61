import { defaultConfig } from '../../core/config.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { startServer } from '../../server/index.ts'
import { endpointsOfApp } from '../support/app-endpoints.ts'
import type { FromFuzzServer, ToFuzzServer } from './fuzz/workspace.ts'

/** The server that is fuzzed: a process of its own, so that its end is seen. Nothing that it is told leads out of the box. */

const unreachable = { kind: 'failure', category: 'connection', detail: 'ECONNREFUSED', status: null } as const
const outbound: Outbound = { request: async () => unreachable, checkUrl: async () => null }

process.on('message', async ({ home }: ToFuzzServer) => {
  const { port, workspace } = await startServer({
    home,
    // Each request comes from an address of its own, so that no limit by address ends the campaign.
    config: { ...defaultConfig, trustProxy: true, log: { level: 'error' } },
    port: 0,
    faults: { outbound },
  })
  const message: FromFuzzServer = { url: `http://127.0.0.1:${port}`, endpoints: endpointsOfApp(workspace) }
  process.send!(message)
})
process.on('disconnect', () => process.exit())
