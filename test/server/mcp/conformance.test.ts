import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

/** The fixtures that the suite expects, and what replaces them here. */
const counterparts: Readonly<Record<string, string>> = {
  test_simple_text: 'orient',
  test_error_handling: 'read',
  'test://static-text': 'workroom://projects/general/plan.md',
  'test://static-binary': 'workroom://projects/general/library/files/dot.png',
  'test://template/123/data': 'workroom://projects/general/docs/pier-123.md',
  'test://watched-resource': 'workroom://projects/general/plan.md',
  test_simple_prompt: 'general/tides',
}

/** Checks of the suite for what this server does not have, by reason. */
const withoutCounterpart = {
  'tools answer text and data': [
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
  ],
  'nothing is asked or told during a call': [
    'logging-set-level',
    'tools-call-with-logging',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'a prompt is a skill: it takes no arguments, and links to its other files': [
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
  'it asks for a tool of a given schema': ['json-schema-2020-12'],
}

const skill = '---\nname: tides\ndescription: When to sail.\n---\n\n# Tides\n\nAsk the moon.\n'

t.test('the checks of the MCP project pass, except those for what is not here', async (t) => {
  const { url, home, owner, request } = await startWorkroom(t)
  await request('PUT', '/v1/fs/projects/general/docs/pier-123.md', { body: '# Pier 123\n\nOpen.\n' })
  await request('POST', '/v1/fs/projects/general/library/files?name=dot.png', {
    body: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    headers: { 'Content-Type': 'image/png' },
  })
  const draft = { project: 'general', name: 'tides', expectedVersion: 0 }
  await request('POST', '/v1/skills', {
    body: { ...draft, expectedDraftRevision: 0, files: { 'SKILL.md': skill } },
  })
  await request('POST', '/v1/skills/publish', { body: { ...draft, expectedDraftRevision: 1 } })

  const proxy = createServer((incoming, outgoing) => pass(incoming, outgoing, { url, key: owner.key }))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  const expected = join(dirname(home), 'expected.yml')
  writeFileSync(expected, JSON.stringify({ server: Object.values(withoutCounterpart).flat() }))
  // The suite fails for an unexpected failure, and for an expected one that passes.
  const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js')
  const checked = ['server', '--url', `http://127.0.0.1:${port}/mcp`, '--suite', 'all']
  await t.resolves(run([suite, ...checked, '--expected-failures', expected], dirname(home)))
})

const run = (args: string[], cwd: string) =>
  new Promise<void>((resolve, reject) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout.slice(-4000)}${stderr.slice(-2000)}`)) : resolve(),
    )
  })

/** Adds the key, which the suite does not send, and replaces the names of its fixtures. */
async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, key }: { url: string; key: string },
): Promise<void> {
  let body = (await buffer(incoming)).toString()
  for (const [fixture, counterpart] of Object.entries(counterparts)) {
    body = body.replaceAll(`"${fixture}"`, `"${counterpart}"`)
  }
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = incoming.headers
  const sent = httpRequest(
    url + incoming.url,
    {
      method: incoming.method,
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
