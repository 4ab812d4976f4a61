import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t from 'tap'
import { connectMcp } from '../support/mcp-client.ts'
import { startWorkroom } from '../support/workroom.ts'
import { nodeArguments, runWorkroom } from './run-workroom.ts'

t.test('an MCP client that starts its servers works through the bridge', async (t) => {
  const { url, owner, request } = await startWorkroom(t)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...nodeArguments, 'mcp'],
    env: { ...process.env, WORKROOM_URL: url, WORKROOM_KEY: owner.key } as Record<string, string>,
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport as never)
  t.teardown(() => client.close())
  const path = 'projects/general/docs/by-bridge.md'
  const result = await client.callTool({
    name: 'write',
    // U+2028 ends a line in some editors, but not a message.
    arguments: { path, text: '# By bridge\n\nWords.\u2028More.\n' },
  })
  t.match(result.structuredContent, { path, revision: /^\w{20}$/ })
  t.match((await request('GET', `/v1/fs/${path}`)).text, /Words\.\u2028More\./)
  const read = await client.callTool({ name: 'read', arguments: { path } })
  t.match(read.content, [{ text: /Words\.\u2028More\./ }])
})

t.test('the bridge subscribes again after the server restarts, and misses nothing meanwhile', async (t) => {
  const workroom = await startWorkroom(t)
  const { owner, request, eventually } = workroom
  const path = 'projects/general/docs/kept.md'
  const uri = `workroom://${path}`
  await request('PUT', `/v1/fs/${path}`, { body: '# Kept\n\nOne.\n' })
  // The server comes back on another port.
  let isDown = false
  let streams = 0
  let updatesBeforeStream: number | null = null
  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url, headers } = incoming
    if (isDown) {
      outgoing.destroy()
      return
    }
    if (method === 'GET') streams += 1
    // The second request for a stream names the session of the earlier process, and is refused.
    if (method === 'GET' && streams === 3) {
      await request('PUT', `/v1/fs/${path}`, { body: '# Kept\n\nTwo.\n' })
      updatesBeforeStream = notified.updated.length
    }
    const sent = httpRequest(new URL(url!, workroom.url), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
      response.on('close', () => outgoing.end())
    })
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await eventually(() => proxy.listening)
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { client, notified } = await connectMcp(t, url, { key: owner.key, connection: 'stdio' })
  await client.subscribeResource({ uri })
  isDown = true
  await workroom.restart()
  isDown = false
  await eventually(() => notified.updated.length === 1 && notified.resourceLists === 1)
  t.equal(updatesBeforeStream, 0, 'the client reads again after what was written before the stream was open')
  await request('PUT', `/v1/fs/${path}`, { body: '# Kept\n\nThree.\n' })
  await eventually(() => notified.updated.length === 2)
  t.same(new Set(notified.updated), new Set([uri]))
})

t.test('the bridge names the variables that it needs', async (t) => {
  const { code, stderr } = await runWorkroom('mcp')
  t.equal(code, 2)
  t.match(stderr, /set WORKROOM_URL.*WORKROOM_KEY/)
})
