import { defaultConfig } from '../../core/config.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { startServer } from '../../server/index.ts'
import { endpointsOfApp } from '../support/app-endpoints.ts'
import type { FromFuzzServer, ToFuzzServer } from './fuzz/workspace.ts'

// The fuzzed server, a process of its own, so that a crash is noticed. It cannot reach the network.

const unreachable = { kind: 'failure', category: 'connection', detail: 'ECONNREFUSED', status: null } as const
const outbound: Outbound = { request: async () => unreachable, checkUrl: async () => null }

process.on('message', async ({ home }: ToFuzzServer) => {
  const { port, workspace } = await startServer({
    home,
    // Each request has an address of its own, so that no limit by address applies.
    config: { ...defaultConfig, trustProxy: true, log: { level: 'error' } },
    port: 0,
    faults: { outbound },
  })
  const message: FromFuzzServer = { url: `http://127.0.0.1:${port}`, endpoints: endpointsOfApp(workspace) }
  process.send!(message)
})
process.on('disconnect', () => process.exit())
