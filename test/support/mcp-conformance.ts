import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { defaultConfig } from '../../core/config.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { startServer } from '../../server/index.ts'

/** The last that runs on Node 20. It needs the network once, to be installed. */
const suite = '@modelcontextprotocol/conformance@0.1.13'

/** Those that ask for what a server of any kind has, and for fixtures that have a counterpart here. */
const scenarios = [
  'server-initialize',
  'ping',
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'resources-subscribe',
  'resources-unsubscribe',
  'prompts-list',
  'prompts-get-simple',
  'dns-rebinding-protection',
]

/** The fixtures of the suite, and what replaces them. */
const counterparts: [string, string][] = [
  ['test_simple_text', 'orient'],
  ['test_error_handling', 'read'],
  ['test://static-text', 'workroom://projects/general/plan.md'],
  ['test://watched-resource', 'workroom://projects/general/plan.md'],
  ['test_simple_prompt', 'general/tides'],
]

const skill = '---\nname: tides\ndescription: When to sail.\n---\n\n# Tides\n\nAsk the moon.\n'

/** Runs the conformance checks of the MCP project against a server (`docs/mcp.md#conformance`). */
async function run(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'workroom-conformance-'))
  const home = join(folder, 'home')
  const { key } = await createWorkspace({ home, name: 'Harbour', owner: 'Ada' })
  const server = await startServer({ home, config: { ...defaultConfig, log: { level: 'silent' } }, port: 0 })
  await publishSkill(`http://127.0.0.1:${server.port}`, key)
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing, server.port, key))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
  const failed: string[] = []
  for (const scenario of scenarios) {
    const checked = spawn('npx', ['--yes', suite, 'server', '--url', url, '--scenario', scenario], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const output = await buffer(checked.stdout)
    const hasPassed = checked.exitCode === 0 || (await once(checked, 'exit'))[0] === 0
    process.stdout.write(`${hasPassed ? 'ok    ' : 'FAILED'} ${scenario}\n${hasPassed ? '' : output}`)
    if (!hasPassed) failed.push(scenario)
  }
  proxy.closeAllConnections()
  proxy.close()
  await server.close()
  rmSync(folder, { recursive: true })
  return failed.length === 0 ? 0 : 1
}

async function publishSkill(url: string, key: string): Promise<void> {
  const draft = { project: 'general', name: 'tides', expectedVersion: 0 }
  const post = (path: string, fields: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...draft, ...fields }),
    })
  await post('/v1/skills', { expectedDraftRevision: 0, files: { 'SKILL.md': skill } })
  await post('/v1/skills/publish', { expectedDraftRevision: 1 })
}

/** The suite sends no key, and knows the names of its fixtures only. */
async function pass(incoming: IncomingMessage, outgoing: ServerResponse, port: number, key: string) {
  let body = (await buffer(incoming)).toString()
  for (const [fixture, counterpart] of counterparts)
    body = body.replaceAll(`"${fixture}"`, `"${counterpart}"`)
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = incoming.headers
  const sent = request(
    {
      port,
      host: '127.0.0.1',
      method: incoming.method,
      path: incoming.url,
      headers: {
        ...headers,
        ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
        authorization: `Bearer ${key}`,
      },
    },
    (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    },
  )
  sent.on('error', () => outgoing.destroy())
  outgoing.on('close', () => sent.destroy())
  sent.end(body)
}

process.exitCode = await run()
