import { UsageError } from './arguments.ts'
import { linesIn } from './lines.ts'
import { McpBridge } from './mcp-bridge.ts'

/** Bridges standard input and output to a running server, for MCP clients (`docs/mcp.md`). */
export async function bridge(environment: NodeJS.ProcessEnv): Promise<number> {
  const { WORKROOM_URL: url, WORKROOM_KEY: key } = environment
  if (!url || !key || !URL.canParse('/mcp', url)) {
    throw new UsageError('set WORKROOM_URL to the address of the server and WORKROOM_KEY to a key')
  }
  const bridge = new McpBridge(new URL('/mcp', url), key, {
    onMessage: (message) => process.stdout.write(`${message}\n`),
    onProblem: (reason) => process.stderr.write(`workroom: ${reason}\n`),
  })
  for await (const line of linesIn(process.stdin)) {
    if (line.trim() !== '') bridge.forward(line)
  }
  await bridge.close()
  return 0
}
