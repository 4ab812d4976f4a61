import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t from 'tap'
import { startWorkroom } from '../support/workroom.ts'
import { nodeArguments, workroom } from './run-workroom.ts'

t.test('a client that starts its servers works through the bridge', async (t) => {
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
    arguments: { path, text: '# By bridge\n\nWords.\n' },
  })
  t.match(result.structuredContent, { path, changed: true })
  t.match((await request('GET', `/v1/fs/${path}`)).text, /Words\./)
})

t.test('the bridge says which variables it needs', async (t) => {
  const { code, stderr } = await workroom(t, 'mcp')
  t.equal(code, 2)
  t.match(stderr, /set WORKROOM_URL.*WORKROOM_KEY/)
})
